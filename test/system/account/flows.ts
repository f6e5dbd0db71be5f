// The flows that a link begins, as rows: the matrix posts each of them in every wrong way.
import { giveInvitation } from '../../../src/account/invitation.ts'
import { giveResetLink } from '../../../src/account/reset-password.ts'
import { USER } from '../../../src/accounts/user-kind.ts'
import type { Context } from '../../../src/context.ts'
import { PATHS } from '../../../src/core/paths.ts'

/** Whom a link is for. */
export type Who = 'alice' | 'bob'

/** A flow of one page that a link opens. */
export interface Flow {
  readonly name: string
  /** The path of its page. */
  readonly path: string
  /** Makes the link. */
  give(context: Context, who: Who): Promise<string>
  /** What the form sends so that it takes effect. */
  answer(who: Who): Readonly<Record<string, string>>
  /** What differs in storage once it took effect. */
  effect(context: Context, who: Who): Promise<unknown>
}

const NEW_PASSWORD = 'seven wet umbrellas at noon'

const passwordOf = async ({ storage }: Context, username: string) =>
  (await storage.records.read(USER, username))?.hash.password_hash

export const FLOWS: readonly Flow[] = [
  {
    name: 'a new password',
    path: PATHS.reset_password,
    give: async (context, who) => (await giveResetLink(context, who))?.url ?? '',
    answer: () => ({ password: NEW_PASSWORD }),
    effect: passwordOf,
  },
  {
    name: 'an invitation',
    path: PATHS.welcome,
    give: async (context) =>
      (await giveInvitation(context, { uses: 1, days: 1, groups: [], by: { kind: 'command', id: '' } })).url,
    answer: (who) => ({ username: `new-${who}`, password: NEW_PASSWORD }),
    effect: (context, who) => passwordOf(context, `new-${who}`),
  },
]
