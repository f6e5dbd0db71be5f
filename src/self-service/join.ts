import { hasOnlyPasskeys, hasPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { ClientId, Transaction } from '../core/ids.ts'
import type { Link, LinkAnswer } from '../core/link.ts'
import { pathAt } from '../core/paths.ts'
import { present } from '../core/present.ts'
import type { Hash } from '../core/record-hash.ts'
import { nameForm } from '../core/visible-text.ts'
import type { FirstPasskeyContext } from '../factors/passkeys/first-passkey.ts'
import type { LinkSignIn } from '../interaction/sign-in-by-link.ts'
import type { InvitationProps } from '../pages/choose-password.ts'
import type { LinkAccount } from '../pages/link-account.ts'
import type { Storage } from '../storage/storage.ts'
import type { GroupSettings } from '../users/client-access.ts'
import type { Asker } from '../users/fair-queue.ts'
import { isNameTaken } from '../users/name-taken.ts'
import { insertUser, newSub } from '../users/new-user.ts'
import { type PasswordFault, type PasswordRules, passwordFault } from '../users/password-rules.ts'
import type { Passwords } from '../users/passwords.ts'
import { readPersonName } from '../users/person-name.ts'
import { isUsername } from '../users/user-record.ts'
import { claimsOf } from './invitation.ts'
import type { JoinOutcome } from './join-by-passkey.ts'
import { boundTo, type LinkBrowser, type LinkPasskey } from './link-passkey.ts'
import { countTakenName } from './taken-names.ts'
import { findTicket, type Ticket, type TicketContext } from './ticket.ts'

/** What it takes to show the page of an invitation. */
export type ShowJoinContext = TicketContext &
  FirstPasskeyContext & {
    readonly settings: PasswordRules & Pick<Settings, 'passkeys'>
  }

/** What it takes to make an account by an invitation. */
export interface JoinContext extends ShowJoinContext {
  readonly storage: Storage
  readonly settings: ShowJoinContext['settings'] & GroupSettings
  readonly passwords: Pick<Passwords, 'hash'>
}

/** What the page of an invitation asks for, or that the invitation is over. */
export type JoinPage =
  | { readonly page: 'over' }
  | {
      readonly page: 'choose'
      /** The address that it is for, if it is for one. */
      readonly account: LinkAccount
      /** How long a password is at least; absent: there are none. */
      readonly min_length?: number
      /** What the page has for a passkey; absent: there are none. */
      readonly passkey?: LinkPasskey
      readonly invited?: InvitationProps
      readonly username?: string
      /** The name of the person as it was typed. */
      readonly name?: string
      readonly problem?: JoinProblem
      /** The request from which somebody asked for the account, sealed. */
      readonly request?: Transaction
    }
  | {
      readonly page: 'done'
      readonly arrival: LinkSignIn
      readonly request?: Transaction
      /** The client that the invitation leads on to. */
      readonly client?: ClientId
    }

/**
 * Why an answer was refused: the username, because of its form or because somebody has it, that too many are told of
 * taken ones, the name of the person, the password, or the passkey.
 */
export type JoinProblem = 'username' | 'taken' | 'throttled' | 'person' | 'passkey' | PasswordFault

/** Returns what the page of an invitation shows. It changes nothing. @throws StorageUnavailable */
export async function showJoin(
  context: ShowJoinContext,
  link: Link,
  browser: LinkBrowser,
): Promise<JoinPage> {
  const ticket = await findTicket(context, link)
  if (ticket === undefined) return { page: 'over' }
  return { page: 'choose', ...aboutOf(ticket), ...(await choiceOf(context, link, browser)) }
}

/**
 * Makes the account that somebody chose by an invitation, with a password or with a passkey. Who made it is signed in then.
 * @throws OAuthError `temporarily_unavailable` (503) if too many passwords wait; StorageUnavailable
 */
export async function takeJoin(
  context: JoinContext,
  link: Link,
  answer: LinkAnswer,
  asker: Asker,
  browser: LinkBrowser,
): Promise<JoinPage> {
  const ticket = await findTicket(context, link)
  if (ticket === undefined) return { page: 'over' }
  const { storage, settings, passwords } = context
  const { email, client } = ticket
  const username = nameForm(answer.username ?? '')
  const again = async (problem: JoinProblem): Promise<JoinPage> => ({
    page: 'choose',
    ...aboutOf(ticket),
    ...(await choiceOf(context, link, browser, answer.credential)),
    username,
    name: answer.name ?? '',
    problem,
  })
  // An address that nobody proved must not become a name that others take for it.
  if (!isUsername(username) || (username.includes('@') && username !== email)) return again('username')
  const name = readPersonName(answer.name ?? '')
  if (name === undefined) return again('person')
  const { password = '', credential = '' } = answer
  const is_passkey = hasOnlyPasskeys(settings) || (credential !== '' && hasPasskeys(settings))
  // Before the name: whoever only asks for names makes an account of the first free one.
  const fault = is_passkey ? undefined : passwordFault(password, settings, { username, email })
  if (fault !== undefined) return again(fault)
  const taken = async (): Promise<JoinPage> => {
    const told = await countTakenName(context, { link, ticket, address: asker.address })
    return told === 'over' ? { page: 'over' } : again(told)
  }
  if (await isNameTaken(storage, username)) return taken()
  const sub = newSub()
  const claims = { ...claimsOf(ticket, settings), ...(name !== '' && { name }) }
  let outcome: JoinOutcome
  if (is_passkey) {
    const { joinByPasskey } = await import('./join-by-passkey.ts')
    const bound_to = boundTo(link, browser)
    outcome = await joinByPasskey(context, { ticket, username, sub, claims, bound_to, credential, browser })
  } else {
    const password_hash = await passwords.hash(password, asker)
    const joined = await joinByPassword(context, ticket, username, { sub, password_hash, ...claims })
    outcome = joined === 'joined' ? { method: 'pwd', password } : joined
  }
  if (outcome === 'over') return { page: 'over' }
  if (outcome === 'taken') return taken()
  if (typeof outcome === 'string') return again(outcome)
  // The account is of this moment: nothing but what was just chosen can be known of it.
  const arrival = { username, ...outcome, confirms: true }
  return { page: 'done', arrival, ...requestOf(ticket), ...present({ client }) }
}

const requestOf = ({ request }: Ticket): { readonly request?: Transaction } => present({ request })

const aboutOf = (
  ticket: Ticket,
): Pick<Extract<JoinPage, { page: 'choose' }>, 'account' | 'invited' | 'request'> => ({
  account: present({ email: ticket.email }),
  ...(ticket.inviter !== undefined && { invited: { inviter: ticket.inviter, ends_at: ticket.ends_at } }),
  ...requestOf(ticket),
})

async function joinByPassword(
  context: JoinContext,
  ticket: Ticket,
  username: string,
  hash: Hash,
): Promise<'joined' | 'over' | 'taken'> {
  if (!(await ticket.take())) return 'over'
  if (
    (await insertUser(context, username, hash, { more: [ticket.used(username)], is_address_own: true })) ===
    'ok'
  )
    return 'joined'
  await ticket.giveBack()
  return 'taken'
}

async function choiceOf(
  context: ShowJoinContext,
  link: Link,
  browser: LinkBrowser,
  credential = '',
): Promise<{ min_length?: number; passkey?: LinkPasskey }> {
  const { settings } = context
  const choice = hasOnlyPasskeys(settings) ? {} : { min_length: settings.password_min_length }
  if (!hasPasskeys(settings)) return choice
  const [{ firstPasskeyOptions }, { PASSKEY_SCRIPT_PATH }] = await Promise.all([
    import('../factors/passkeys/first-passkey.ts'),
    import('../factors/passkeys/script.ts'),
  ])
  const options = firstPasskeyOptions(context, boundTo(link, browser))
  const script = pathAt(settings, PASSKEY_SCRIPT_PATH)
  // What was made for an answer that was refused leads nowhere: its keeper is told.
  return { ...choice, passkey: { use: 'create', options, script, is_unknown: credential !== '' } }
}
