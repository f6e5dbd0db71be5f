// The flows that a link begins, as rows: the matrix posts each of them in every wrong way.
import { randomUUID } from 'node:crypto'
import type { Context } from '../../../src/context.ts'
import { addressOf } from '../../../src/core/link.ts'
import { PATHS } from '../../../src/core/paths.ts'
import { readAccountNow } from '../../../src/factors/account-now.ts'
import type { MailRequest } from '../../../src/mail/mailer.ts'
import { type AddressContext, askForAddress } from '../../../src/self-service/change-address.ts'
import { giveInvitation } from '../../../src/self-service/invitation.ts'
import { giveNotMeLink } from '../../../src/self-service/not-me.ts'
import { giveResetLink } from '../../../src/self-service/reset-password.ts'
import { type SignUpContext, sendSignUpLink } from '../../../src/self-service/sign-up.ts'
import { USER } from '../../../src/users/user-kind.ts'

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

/** A link ends the one before: each is for an address of its own. */
const newAddress = (who: Who) => `${who}-${randomUUID()}@example.org`

/** Returns the link in the mail that is sent. */
async function mailed(
  context: Context,
  ask: (mailing: Context & AddressContext & SignUpContext) => Promise<unknown>,
): Promise<string> {
  let url = ''
  const send = async ({ content: { link = '' } }: MailRequest) => {
    url = link
    return true
  }
  // A matrix asks more often than a person may.
  const counters = Object.assign(Object.create(context.storage.counters), {
    countFailure: async () => ({ count: 1, ttl: 1 }),
  })
  const storage = { ...context.storage, counters }
  await ask({ ...context, send, storage })
  return url
}

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
  {
    name: 'open sign-up',
    path: PATHS.welcome,
    give: (context, who) =>
      mailed(context, (mailing) =>
        sendSignUpLink(mailing, { typed: newAddress(who), language: 'en', nth: 1 }),
      ),
    answer: (who) => ({ username: `joined-${who}`, password: NEW_PASSWORD }),
    effect: (context, who) => passwordOf(context, `joined-${who}`),
  },
  {
    name: 'another address',
    path: PATHS.confirm_address,
    give: (context, who) =>
      mailed(context, (mailing) => askForAddress(mailing, { username: who }, newAddress(who), 'en')),
    answer: () => ({}),
    effect: async ({ storage }, who) => (await storage.records.read(USER, who))?.hash.email,
  },
  {
    name: '"This was not me"',
    path: PATHS.not_me,
    async give(context, who) {
      const account = await readAccountNow(context, who)
      if (account === undefined) throw new Error(`no ${who}`)
      const link = await giveNotMeLink(context, account.user, { event: 'passkey_added' })
      return addressOf(context.settings.issuer, PATHS.not_me, link)
    },
    answer: () => ({}),
    effect: passwordOf,
  },
]
