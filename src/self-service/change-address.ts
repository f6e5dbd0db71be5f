import { commit } from '../core/commit.ts'
import { type EmailAddress, readEmail } from '../core/email-address.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import { addressOf, type Link, newLink } from '../core/link.ts'
import { PATHS } from '../core/paths.ts'
import { present } from '../core/present.ts'
import { foldName } from '../core/visible-text.ts'
import { changeAccount, readAccountNow } from '../factors/account-now.ts'
import { keepConfirmed } from '../factors/confirmation.ts'
import { countMail } from '../mail/mail-limits.ts'
import type { MailRequest } from '../mail/mailer.ts'
import type { LinkAccount } from '../pages/link-account.ts'
import { evidenceTag } from '../storage/evidence.ts'
import type { Storage } from '../storage/storage.ts'
import { holdingNames } from '../users/name-claim.ts'
import { isNameTaken } from '../users/name-taken.ts'
import { indexUser } from '../users/sign-in-names.ts'
import type { User } from '../users/user-record.ts'
import { evidenceOf, findProved } from './account-link.ts'
import { languageOfUser, mailAddressOf } from './forgot-password.ts'
import type { LinkBrowser } from './link-passkey.ts'
import { endNotMe, isAddressSettled } from './not-me.ts'
import { noticeOfAddress } from './notices.ts'
import type { LinkContext } from './reset-link.ts'

/** What it takes to change an address. */
export interface AddressContext extends LinkContext {
  readonly storage: Storage
  readonly report: ReportEvent
  /** Queues a mail; false: too many wait. */
  readonly send: (request: MailRequest) => Promise<boolean>
}

/**
 * Why no link was sent: it is no address, it is that of the account already, the address was changed within a day, or too
 * many mails were asked for.
 */
export type AddressProblem = 'form' | 'same' | 'recent' | 'limited'

/** What the page of a link shows. */
export type AddressPage =
  | { readonly page: 'over' | 'done' }
  | { readonly page: 'choose'; readonly account: LinkAccount }

/** In which browser a link is used, and from which address of the network. */
interface AddressTaker extends Partial<Pick<LinkBrowser, 'session' | 'name'>> {
  readonly address?: string
}

const PURPOSE = 'change_address'
const KIND = 'verify_address'
/** In seconds (NIST SP 800-63B-4 §4.2.1.2: at most a day by mail). */
const LINK_TTL = 86_400

/**
 * Sends a link to the address that somebody wants to have; it counts once the link was used. Whoever else has the
 * address, the answer is the same.
 * @param page_language the language of a person without one
 * @returns why none was sent; undefined: it was
 * @throws StorageUnavailable
 */
export async function askForAddress(
  context: AddressContext,
  { username }: Pick<User, 'username'>,
  typed: string,
  page_language: string,
): Promise<AddressProblem | undefined> {
  const { storage, settings, now, report, send } = context
  const to = readEmail(typed.trim())
  if (to === undefined) return 'form'
  const account = await readAccountNow(context, username)
  if (account === undefined || isOwn(account.user, to)) return 'same'
  if (await isAddressSettled(context, username)) return 'recent'
  const refused = await countMail(storage, { to, username, room: 'own' })
  if (refused !== undefined) {
    if (refused.is_first) report({ event: 'mails_limited', limit: refused.limit, kind: KIND, username })
    return 'limited'
  }
  const before = await pendingAddress(context, username)
  const link = newLink(evidenceTag(username))
  const created_at = now()
  const ends_at = created_at + LINK_TTL * 1000
  const evidence = evidenceOf(account, PURPOSE, to.text)
  // "Send again" is no news to the address before.
  const events: SecurityEvent[] = before === to.text ? [] : [{ event: 'address_change_asked', username }]
  const kept = { ...evidence, account: username, created_at, ends_at }
  await commit(context, events, { sub: account.user.sub }, async (told) => {
    await storage.evidence.give(link.digest, kept, told)
    return 'ok'
  })
  const content = {
    kind: KIND,
    language: languageOfUser(account.user, page_language),
    account: username,
    link: addressOf(settings.issuer, PATHS.confirm_address, link),
    until: ends_at,
  } as const
  return (await send({ to, content, ttl: LINK_TTL })) ? undefined : 'limited'
}

/** Returns the address that waits for its link to be used. @throws StorageUnavailable */
export async function pendingAddress(
  context: Pick<AddressContext, 'storage'>,
  username: string,
): Promise<string | undefined> {
  const [account, kept] = await Promise.all([
    readAccountNow(context, username),
    context.storage.evidence.list(evidenceTag(username)),
  ])
  if (account === undefined) return undefined
  const { account_state } = evidenceOf(account, PURPOSE)
  const pending = [...kept.values()].find(
    (one) => one.purpose === PURPOSE && one.account_state === account_state,
  )
  return pending?.value
}

/** Returns what the page of a link shows. It changes nothing. @throws StorageUnavailable */
export async function showAddress(
  context: Pick<AddressContext, 'storage'>,
  link: Link,
): Promise<AddressPage> {
  const found = await findWanted(context, link)
  if (found === undefined) return { page: 'over' }
  return { page: 'choose', account: { username: found.account.user.username, email: found.to.text } }
}

/**
 * Makes the address of a link that of its account, confirmed. The address before is told; all other links of the account
 * end.
 * @param taker the browser in which the link was used: the confirmation that it has outlasts the change
 * @throws StorageUnavailable
 */
export async function takeAddress(
  context: AddressContext,
  link: Link,
  { session, name, address }: AddressTaker = {},
): Promise<AddressPage> {
  const found = await findWanted(context, link)
  if (found === undefined) return { page: 'over' }
  const { storage } = context
  const { account, to } = found
  const { user, hash } = account
  const { username } = user
  if ((await storage.evidence.take(link.tag, link.digest, evidenceOf(account, PURPOSE, to.text))) !== 'taken')
    return { page: 'over' }
  const former = mailAddressOf(user)
  // Before the change: nobody could go back from one that the address before was not told of.
  const notice =
    former !== undefined && former.key !== to.key
      ? await noticeOfAddress(context, account, { from: former, to }, present({ browser: name, address }))
      : undefined
  const set = { email: to.text, email_verified: 'true' }
  const event: SecurityEvent = { event: 'address_changed', username }
  const change = async () => {
    // Somebody else may have got the name since the link was found.
    if (await isNameTaken(storage, to.text, username)) return undefined
    const changed = await commit(context, [event], { sub: user.sub }, (told) =>
      changeAccount(context, account, { set, whole: true, told }),
    )
    if (changed !== undefined) await indexUser(storage, username, hash)
    return changed
  }
  const changed = await holdingNames(storage, [foldName(to.text)], change)
  if (changed === undefined || changed === 'held') {
    if (notice !== undefined) await endNotMe(context, notice.link)
    return { page: 'over' }
  }
  const after = { ...user, claims: { ...user.claims, ...set }, generation: user.generation + 1 }
  await Promise.all([
    storage.evidence.end(link.tag),
    notice && context.send(notice.mail),
    session && keepConfirmed(context, session, account, { ...account, user: after }),
  ])
  return { page: 'done' }
}

function isOwn({ claims }: User, { text }: EmailAddress): boolean {
  return claims.email_verified === 'true' && claims.email === text
}

async function findWanted(context: Pick<AddressContext, 'storage'>, link: Link) {
  const found = await findProved(context, link, PURPOSE)
  const to = found && readEmail(found.kept.value)
  if (found === undefined || to === undefined) return undefined
  // Nobody gets the name by which somebody else signs in.
  const is_taken = await isNameTaken(context.storage, to.text, found.account.user.username)
  return is_taken ? undefined : { account: found.account, to }
}
