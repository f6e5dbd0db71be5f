import { CLIENT } from '../clients/record/client-kind.ts'
import type { Settings } from '../config/settings.ts'
import type { Origin } from '../core/audit-entries.ts'
import type { EmailAddress } from '../core/email-address.ts'
import type { EventName, SecurityEvent } from '../core/events.ts'
import { addressOf, type Link } from '../core/link.ts'
import { PATHS } from '../core/paths.ts'
import { type AccountNow, readAccountNow } from '../factors/account-now.ts'
import type { MailContent, MailFacts, MailKind } from '../mail/mail-kinds.ts'
import { MAIL_TTL, type MailRequest } from '../mail/mailer.ts'
import { PROVIDER } from '../providers/provider-record.ts'
import { RESOURCE } from '../resources/resource-record.ts'
import { recordOf } from '../storage/records.ts'
import type { RecordStore, Storage } from '../storage/storage.ts'
import { placeOf } from './activity.ts'
import { languageOfUser, mailAddressOf } from './forgot-password.ts'
import { type Disowned, giveNotMeLink, mayJoin } from './not-me.ts'

/** A notice about an event, and what "This was not me" undoes in it. */
interface Notice extends Pick<Disowned, 'undoes' | 'is_loss'> {
  readonly kind: MailKind
  /** What it is about. */
  readonly about?: string
}

/**
 * The events that the owner of an account is told of (NIST SP 800-63B-4 §4.6): each change of a way to sign in, whoever
 * made it, and an end of one. "This was not me" always does the same: sessions, grants, other links and the password end,
 * and passkeys, apps and codes that were added since are taken away, because whoever made one change could make the next
 * one. A row says what it does besides.
 */
const NOTICES = {
  password_changed: { kind: 'password_changed' },
  password_reset: { kind: 'password_changed' },
  passkey_added: { kind: 'factor_added', about: 'passkey' },
  passkey_removed: { kind: 'factor_removed', about: 'passkey', is_loss: true },
  provider_linked: { kind: 'factor_added', about: 'provider' },
  provider_unlinked: { kind: 'factor_removed', about: 'provider', is_loss: true },
  second_step_added: { kind: 'factor_added', about: 'totp' },
  second_step_removed: { kind: 'factor_removed', about: 'totp', is_loss: true },
  recovery_codes_made: { kind: 'factor_added', about: 'recovery' },
  // Who had one may have the others.
  recovery_code_used: { kind: 'recovery_code_used', undoes: 'codes' },
  // Codes are asked for after the password, so that somebody knows it.
  second_step_limited: { kind: 'codes_guessed' },
  factors_reset: { kind: 'factor_removed', about: 'all', is_loss: true },
  address_change_asked: { kind: 'changing_address' },
  // The account goes back to the address that is told of it.
  address_changed: { kind: 'changed_address', undoes: 'address' },
} as const satisfies Partial<Record<EventName, Notice>>

/** What it takes to tell people. */
export interface NoticeContext {
  readonly storage: Pick<Storage, 'evidence' | 'records'>
  readonly settings: Pick<Settings, 'issuer' | 'forgot_password_url'> &
    Partial<Pick<Settings, 'account_page'>>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Queues a mail. */
  readonly send: (request: MailRequest) => Promise<unknown>
}

/**
 * Tells the owner of an account of an event by mail, if it is one of a way to sign in and there is a confirmed address.
 * @param origin what is known of its cause
 * @throws StorageUnavailable
 */
export async function notifyOwner(
  context: NoticeContext,
  event: SecurityEvent,
  origin: Origin = {},
): Promise<void> {
  // Told by what changes it: the address before is not in the account any more.
  if (event.event === 'user_acted_as') return tellOfActing(context, event)
  if (event.event === 'person_asked') return tellOfAsk(context, event)
  if (!hasNotice(event.event) || event.event === 'address_changed') return
  if (!('username' in event) || typeof event.username !== 'string') return
  const account = await readAccountNow(context, event.username)
  const to = account && mailAddressOf(account.user)
  if (account === undefined || to === undefined) return
  const link = (await mayJoin(context, event.username))
    ? await giveNotMeLink(context, account.user, {
        ...disownedBy(event.event),
        links: await linksBefore(context, account, event),
      })
    : undefined
  await context.send(mailOf(context, account, to, { event: event.event, link, place: placeOf(origin) }))
}

/** Tells a person that an operator acts as the person. It undoes nothing: the account page has the button that ends it. */
async function tellOfActing(
  context: NoticeContext,
  { username, resource }: Extract<SecurityEvent, { event: 'user_acted_as' }>,
): Promise<void> {
  const account = await readAccountNow(context, String(username))
  const to = account && mailAddressOf(account.user)
  if (account === undefined || to === undefined) return
  const content = await noticeOfActing(context, account.user, String(resource))
  await context.send({ to, content, ttl: MAIL_TTL })
}

/** Tells a person that a client asks something: the mail leads to the account page, and answers nothing. */
async function tellOfAsk(
  context: NoticeContext,
  { username, client_id, expires_in }: Extract<SecurityEvent, { event: 'person_asked' }>,
): Promise<void> {
  const { settings, storage, now } = context
  const account = await readAccountNow(context, String(username))
  const to = account && mailAddressOf(account.user)
  if (account === undefined || to === undefined || settings.account_page !== 'on') return
  const client = recordOf(await storage.records.read(CLIENT, String(client_id)))
  const content: MailContent = {
    kind: 'asked',
    language: languageOfUser(account.user, 'en'),
    account: account.user.username,
    about: client?.client_name ?? String(client_id),
    at: now(),
    link: `${settings.issuer}${PATHS.account}`,
  }
  // Later it leads to nothing.
  await context.send({ to, content, ttl: Number(expires_in) })
}

/** Returns the notice that an operator acts as a person at an API. @throws StorageUnavailable */
export async function noticeOfActing(
  { storage, settings, now }: Omit<NoticeContext, 'send' | 'storage'> & { readonly storage: RecordStore },
  user: AccountNow['user'],
  resource: string,
): Promise<MailContent> {
  const api = recordOf(await storage.records.read(RESOURCE, resource))
  return {
    kind: 'acted_as',
    language: languageOfUser(user, 'en'),
    account: user.username,
    about: api?.resource_name ?? resource,
    at: now(),
    ...(settings.account_page === 'on' && { link: `${settings.issuer}${PATHS.account}` }),
  }
}

/**
 * Makes the notice of another address, which goes to the one before, and its link.
 * @param place where the address was confirmed
 * @throws StorageUnavailable
 */
export async function noticeOfAddress(
  context: NoticeContext,
  account: AccountNow,
  { from, to }: { readonly from: EmailAddress; readonly to: EmailAddress },
  place: ToldChange['place'],
): Promise<{ readonly mail: MailRequest; readonly link: Link }> {
  const event = 'address_changed'
  const disowned = { ...disownedBy(event), from: from.text, to: to.text }
  const link = await giveNotMeLink(context, account.user, disowned)
  return { mail: mailOf(context, account, from, { event, link, place }), link }
}

/** The links of an account from before an event: that of a link is the last one. @throws StorageUnavailable */
async function linksBefore(
  { storage }: NoticeContext,
  { user: { linked_subjects = [] } }: AccountNow,
  event: SecurityEvent,
): Promise<readonly string[]> {
  if (event.event !== 'provider_linked') return linked_subjects
  const provider = recordOf(await storage.records.read(PROVIDER, String(event.provider)))
  return provider === undefined
    ? []
    : linked_subjects.filter((link) => !link.startsWith(`${provider.issuer}#`))
}

type NoticeName = keyof typeof NOTICES

const hasNotice = (event: EventName): event is NoticeName => Object.hasOwn(NOTICES, event)

function disownedBy(event: NoticeName): Disowned {
  const { undoes, is_loss }: Notice = NOTICES[event]
  return { event, ...(undoes && { undoes }), ...(is_loss && { is_loss }) }
}

/** A change that is told, the link that undoes it, and where it was made. */
interface ToldChange {
  readonly event: NoticeName
  readonly link: Link | undefined
  readonly place: Pick<MailFacts, 'browser' | 'address'>
}

function mailOf(
  { settings, now }: NoticeContext,
  { user }: AccountNow,
  to: EmailAddress,
  { event, link, place }: ToldChange,
): MailRequest {
  const { kind, about }: Notice = NOTICES[event]
  // An operator's own page takes the place of ours.
  const forgot = settings.forgot_password_url ?? `${settings.issuer}${PATHS.forgot_password}`
  const content = {
    kind,
    language: languageOfUser(user, 'en'),
    account: user.username,
    link: link === undefined ? forgot : addressOf(settings.issuer, PATHS.not_me, link),
    ...(about !== undefined && { about }),
    at: now(),
    ...place,
  }
  return { to, content, ttl: MAIL_TTL }
}
