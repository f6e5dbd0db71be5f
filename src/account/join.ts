import type { GroupSettings } from '../accounts/client-access.ts'
import type { Asker } from '../accounts/fair-queue.ts'
import { type PasswordFault, type PasswordRules, passwordFault } from '../accounts/password-rules.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { isUsername } from '../accounts/user-record.ts'
import type { ReportEvent } from '../core/events.ts'
import { nameForm } from '../core/visible-text.ts'
import type { Storage } from '../storage/storage.ts'
import {
  claimsOf,
  findInvitation,
  giveUseBack,
  type InviteContext,
  isNameTaken,
  takeUse,
} from './invitation.ts'
import type { Link } from './link.ts'
import { insertUser, newSub } from './new-user.ts'

/** What it takes to make an account by an invitation. */
export interface JoinContext extends InviteContext {
  readonly storage: Storage
  readonly settings: InviteContext['settings'] & PasswordRules & GroupSettings
  readonly passwords: Pick<Passwords, 'hash'>
  readonly report: ReportEvent
}

/** What the page of an invitation asks for, or that the invitation is over. */
export type JoinPage =
  | { readonly page: 'over' }
  | {
      readonly page: 'choose'
      readonly min_length: number
      readonly username?: string
      readonly problem?: JoinProblem
    }
  | { readonly page: 'done'; readonly username: string }

/** Why an answer was refused: the username, because of its form or because somebody has it, or the password. */
export type JoinProblem = 'username' | 'taken' | PasswordFault

/** Returns what the page of an invitation shows. It changes nothing. @throws StorageUnavailable */
export async function showJoin(
  context: InviteContext & { readonly settings: PasswordRules },
  link: Link | undefined,
): Promise<JoinPage> {
  const invitation = link && (await findInvitation(context, link))
  return invitation === undefined
    ? { page: 'over' }
    : { page: 'choose', min_length: context.settings.password_min_length }
}

/**
 * Makes the account that somebody chose by an invitation. It signs nobody in.
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function takeJoin(
  context: JoinContext,
  link: Link | undefined,
  answer: Readonly<Record<string, string | undefined>>,
  asker: Asker,
): Promise<JoinPage> {
  const invitation = link && (await findInvitation(context, link))
  if (link === undefined || invitation === undefined) return { page: 'over' }
  const { storage, settings, passwords, report } = context
  const { email } = invitation
  const username = nameForm(answer.username ?? '')
  const again = (problem: JoinProblem): JoinPage => ({
    page: 'choose',
    min_length: settings.password_min_length,
    username,
    problem,
  })
  // An address that nobody proved must not become a name that others take for it.
  if (!isUsername(username) || (username.includes('@') && username !== email)) return again('username')
  if (await isNameTaken(storage, username)) return again('taken')
  const { password = '' } = answer
  const fault = passwordFault(password, settings, { username, email })
  if (fault !== undefined) return again(fault)
  const password_hash = await passwords.hash(password, asker)
  if (!(await takeUse(context, link.tag))) return { page: 'over' }
  const hash = { sub: newSub(), password_hash, ...claimsOf(invitation, settings) }
  if ((await insertUser(context, username, hash)) === 'exists') {
    await giveUseBack(context, link.tag)
    return again('taken')
  }
  report({ event: 'user_joined', username, invitation: link.tag })
  return { page: 'done', username }
}
