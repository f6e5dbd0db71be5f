import { type AccountContext, readAccount } from '../accounts/read-account.ts'
import type { Settings } from '../config/settings.ts'
import type { EventName, SecurityEvent } from '../core/events.ts'
import { PATHS } from '../core/paths.ts'
import type { MailContent, MailKind } from '../mail/mail-kinds.ts'
import { MAIL_TTL, type MailRequest } from '../mail/mailer.ts'
import { languageOfUser, mailAddressOf } from './forgot-password.ts'

/** A notice about an event: what it says, and what it is about. */
type Notice = readonly [kind: MailKind, about?: string]

/** The events that the owner of an account is told of: each change of a way to sign in, whoever made it. */
const NOTICES: Partial<Record<EventName, Notice>> = {
  password_changed: ['password_changed'],
  password_reset: ['password_changed'],
  passkey_added: ['factor_added', 'passkey'],
  passkey_removed: ['factor_removed', 'passkey'],
  second_step_added: ['factor_added', 'totp'],
  second_step_removed: ['factor_removed', 'totp'],
  recovery_codes_made: ['factor_added', 'recovery'],
  recovery_code_used: ['recovery_code_used'],
  factors_reset: ['factor_removed', 'all'],
}

/** What it takes to tell people. */
export interface NoticeContext extends AccountContext {
  readonly settings: AccountContext['settings'] & Pick<Settings, 'issuer' | 'forgot_password_url'>
  /** Queues a mail. */
  readonly send: (request: MailRequest) => Promise<unknown>
}

/**
 * Tells the owner of an account of an event by mail, if it is one of a way to sign in and there is a confirmed address.
 * @throws StorageUnavailable
 */
export async function notifyOwner(context: NoticeContext, event: SecurityEvent): Promise<void> {
  const [kind, about] = NOTICES[event.event] ?? []
  if (kind === undefined || !('username' in event) || typeof event.username !== 'string') return
  const user = await readAccount(context, event.username)
  const to = user && mailAddressOf(user)
  if (user === undefined || to === undefined) return
  const content: MailContent = {
    kind,
    language: languageOfUser(user, 'en'),
    // An operator's own page takes the place of ours.
    link: context.settings.forgot_password_url ?? `${context.settings.issuer}${PATHS.forgot_password}`,
    ...(about !== undefined && { about }),
  }
  await context.send({ to, content, ttl: MAIL_TTL })
}
