import { findAccount } from '../accounts/find-account.ts'
import type { AccountContext } from '../accounts/read-account.ts'
import type { User } from '../accounts/user-record.ts'
import { hasOnlyPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import { type EmailAddress, readEmail } from '../core/email-address.ts'
import type { ReportEvent } from '../core/events.ts'
import { countMail } from '../mail/mail-limits.ts'
import type { MailRequest } from '../mail/mailer.ts'
import type { Storage } from '../storage/storage.ts'
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

/**
 * Sends a link to a new password, or passkey, to the confirmed address of the account that a typed name stands for. Everybody gets the same
 * answer before, so that nobody learns from it whether there is such an account.
 * @throws StorageUnavailable
 */
export async function sendResetLink(
  context: ForgotContext,
  typed: string,
  page_language: string,
): Promise<void> {
  const { storage, now, report, send } = context
  const kind = kindOf(context.settings)
  const { user } = await findAccount(context, typed)
  const person = user?.disabled ? undefined : user
  const to = (person && mailAddressOf(person)) ?? readEmail(typed)
  if (to === undefined) return
  const is_known = person !== undefined && mailAddressOf(person) !== undefined
  const refused = await countMail(storage, to, is_known ? person.username : undefined)
  if (refused !== undefined) {
    const { limit, is_first } = refused
    const username = is_known ? person.username : undefined
    return is_first ? report({ event: 'mails_limited', limit, kind, username }) : undefined
  }
  const link = is_known ? await giveResetLink(context, person.username) : undefined
  if (link === undefined || person === undefined) return
  await send({
    to,
    content: {
      kind,
      language: languageOfUser(person, page_language),
      account: person.username,
      link: link.url,
    },
    ttl: Math.ceil((link.ends_at - now()) / 1000),
  })
}
