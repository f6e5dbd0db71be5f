import { hasOnlyPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import { type EmailAddress, readEmail } from '../core/email-address.ts'
import type { ReportEvent } from '../core/events.ts'
import { PATHS } from '../core/paths.ts'
import { findBrowserOf } from '../interaction/known-browsers.ts'
import { countMail, roomOf } from '../mail/mail-limits.ts'
import type { OpenedAsk } from '../mail/mail-maker.ts'
import type { MailAsk } from '../mail/mail-requests.ts'
import type { MailRequest } from '../mail/mailer.ts'
import { forgotDonePage, forgotPasswordPage } from '../pages/forgot-password.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Storage } from '../storage/storage.ts'
import { findAccount } from '../users/find-account.ts'
import type { AccountContext } from '../users/read-account.ts'
import type { User } from '../users/user-record.ts'
import type { MailForm } from './mail-form.ts'
import type { LinkContext } from './reset-link.ts'
import { giveResetLink } from './reset-password.ts'

/** What it takes to send a link to a new password. */
export interface ForgotContext extends Omit<AccountContext, 'settings' | 'storage'> {
  readonly settings: LinkContext['settings'] & AccountContext['settings'] & Pick<Settings, 'sign_in'>
  readonly now: () => number
  readonly storage: Storage
  readonly report: ReportEvent
  /** Queues a mail. */
  readonly send: (request: MailRequest) => Promise<unknown>
}

/** Returns the kind of mail with a link. */
const kindOf = (settings: Pick<Settings, 'sign_in'>) =>
  hasOnlyPasskeys(settings) ? 'reset_passkey' : 'reset_password'

/** The address that mail for a user goes to: only one that is confirmed. */
export function mailAddressOf({ claims: { email = '', email_verified } }: User): EmailAddress | undefined {
  return email_verified === 'true' ? readEmail(email) : undefined
}

/** The languages of a user's mails in order of preference: the own one, then that of the page. */
export function languageOfUser({ claims: { locale } }: User, page_language: string): string {
  return locale === undefined ? page_language : `${locale} ${page_language}`
}

/** What it takes to ask for a link. */
export interface AskForResetContext extends Omit<AccountContext, 'storage'> {
  readonly storage: AccountContext['storage'] & Pick<Storage, 'counters' | 'bounded'>
  readonly settings: AccountContext['settings'] & Pick<Settings, 'sign_in'>
  /** Keeps what was asked for. */
  readonly ask: (ask: MailAsk) => Promise<void>
}

/**
 * Asks for a link to a new password, or passkey. Everybody gets the same answer, after the same commands to storage, so that
 * nobody learns from it whether there is such an account.
 * @throws StorageUnavailable
 */
async function askForReset(
  context: AskForResetContext,
  {
    identity,
    ...asked
  }: Pick<MailAsk, 'typed' | 'language' | 'network' | 'request'> & Pick<Browser, 'identity'>,
): Promise<void> {
  const is_known = (await findPerson(context, asked.typed)) !== undefined
  const { device: browser_id = '', known_to } = identity ?? {}
  const is_of_person = (await findBrowserOf(context, undefined, { browser_id, known_to })) !== undefined
  await context.ask({ form: 'forgot', kind: kindOf(context.settings), ...asked, is_known, is_of_person })
}

/** The form by which a lost password, or passkey, is replaced. */
export const FORGOT_FORM: MailForm<AskForResetContext> = {
  path: PATHS.forgot_password,
  field: 'username',
  needs_request: false,
  page: forgotPasswordPage,
  done: forgotDonePage,
  ask: askForReset,
}

/**
 * Sends a link to the confirmed address of the account that a typed name stands for, if there is one, and limits allow it.
 * @throws StorageUnavailable
 */
export async function sendResetLink(
  context: ForgotContext,
  { typed, language, nth, is_of_person, request }: OpenedAsk,
): Promise<void> {
  const { storage, now, report, send } = context
  const kind = kindOf(context.settings)
  const found = await findPerson(context, typed)
  if (found === undefined) return
  const { person, to } = found
  const { username } = person
  const refused = await countMail(storage, { to, username, room: is_of_person ? 'own' : roomOf(nth) })
  if (refused !== undefined) {
    const { limit, is_first } = refused
    return is_first ? report({ event: 'mails_limited', limit, kind, username }) : undefined
  }
  const link = await giveResetLink(context, username, undefined, request)
  if (link === undefined) return
  await send({
    to,
    content: { kind, language: languageOfUser(person, language), account: username, link: link.url },
    ttl: Math.ceil((link.ends_at - now()) / 1000),
    nth,
  })
}

/** Returns whom a link may go to, and where; undefined: nobody. @throws StorageUnavailable */
async function findPerson(
  context: AccountContext,
  typed: string,
): Promise<{ readonly person: User; readonly to: EmailAddress } | undefined> {
  const { user } = await findAccount(context, typed)
  const to = user && !user.disabled ? mailAddressOf(user) : undefined
  return user && to && { person: user, to }
}
