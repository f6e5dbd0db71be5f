import { commit } from '../core/commit.ts'
import type { EventName, ReportEvent, SecurityEvent } from '../core/events.ts'
import { parseObject } from '../core/json.ts'
import { type Link, newLink } from '../core/link.ts'
import type { Hash } from '../core/record-hash.ts'
import { type AccountNow, changeAccount, readAccountNow } from '../factors/account-now.ts'
import { MAX_FAILURES } from '../factors/check-second-step.ts'
import type { Factors } from '../factors/factors-record.ts'
import { releasePasskeys } from '../factors/passkeys/passkey-owner.ts'
import { withoutSecondStep } from '../factors/totp.ts'
import { type EndOfUserContext, endMarks, queueEndings } from '../logout/end-of-user.ts'
import type { LinkAccount } from '../pages/link-account.ts'
import { type Evidence, evidenceTag, type KeptEvidence } from '../storage/evidence.ts'
import type { Storage } from '../storage/storage.ts'
import { isNameTaken } from '../users/name-taken.ts'
import { indexUser } from '../users/sign-in-names.ts'

/** What one "This was not me" undoes besides what each of them does: another address; or codes that somebody knows. */
export type Undoes = 'address' | 'codes'

/** What a link knows of the change that it undoes. */
export interface Disowned {
  readonly event: EventName
  readonly undoes?: Undoes
  /** Something was removed by the change, and cannot come back. */
  readonly is_loss?: true
  /** The links with other accounts that stay: those from before. Absent: all. */
  readonly links?: readonly string[]
  /** Of a change of the address: the one before, and the one since. */
  readonly from?: string
  readonly to?: string
}

/** What the page of a link shows. */
export interface NotMePage {
  readonly page: 'over' | 'choose' | 'done'
  readonly account?: LinkAccount
  /** Something was removed that cannot come back. */
  readonly is_loss?: boolean
  /** The app counts no more, and recovery codes from before stand in for it. */
  readonly is_suspended?: boolean
}

interface EvidenceContext {
  readonly storage: Pick<Storage, 'evidence'>
}

/** What it takes to use a link. */
export interface NotMeContext extends EndOfUserContext {
  readonly storage: Storage
  readonly report: ReportEvent
}

/** In milliseconds (NIST SP 800-63B-4 §4.2.1.2: at most a day by mail). */
const NOT_ME_TTL = 86_400_000
/** How many links of an account stay beside those of addresses: further changes kill no older link. */
const MAX_LINKS = 8
/** A change is stored before it is reported, in milliseconds. */
const REPORTED_WITHIN = 60_000
const PURPOSE = 'not_me '

// In a room of its own: links to a new password end with each change of the account, and these must not, because the next
// change of the same intruder would end them. No username has a space.
const roomOf = (username: string): string => `${PURPOSE}${username}`

/** Returns where the links of an account are. */
export const notMeTag = (username: string): string => evidenceTag(roomOf(username))

/**
 * Whether the account has so few links that another one may join them: an intruder may be making changes.
 * @throws StorageUnavailable
 */
export async function mayJoin({ storage }: EvidenceContext, username: string): Promise<boolean> {
  return (await storage.evidence.list(notMeTag(username))).size < MAX_LINKS
}

/** Makes the link of a notice, which undoes the change within a day, and what followed it. @throws StorageUnavailable */
export async function giveNotMeLink(
  { storage, now }: EvidenceContext & { readonly now: () => number },
  { username, sub }: AccountNow['user'],
  disowned: Disowned,
): Promise<Link> {
  const link = newLink(notMeTag(username))
  const created_at = now()
  await storage.evidence.give(link.digest, {
    // Each its own: a newer one of the same purpose would replace it.
    purpose: PURPOSE + link.digest,
    step: 'confirm',
    browser: '',
    value: JSON.stringify(disowned),
    // The account may change as it will: only another one is not meant.
    account_state: sub,
    account: roomOf(username),
    created_at,
    ends_at: created_at + NOT_ME_TTL,
  })
  return link
}

/** Ends a link. @throws StorageUnavailable */
export function endNotMe({ storage }: EvidenceContext, { tag, digest }: Link): Promise<void> {
  return storage.evidence.end(tag, digest)
}

/**
 * Whether the address of an account was changed within a day, and the owner of the one before can still go back: until then
 * it stays, so that nobody hides a change behind another one.
 * @throws StorageUnavailable
 */
export async function isAddressSettled({ storage }: EvidenceContext, username: string): Promise<boolean> {
  const kept = await storage.evidence.list(notMeTag(username))
  return [...kept.values()].some((one) => readDisowned(one)?.undoes === 'address')
}

/** Returns what the page of a link shows. It changes nothing. @throws StorageUnavailable */
export async function showNotMe(context: Pick<NotMeContext, 'storage'>, link: Link): Promise<NotMePage> {
  const found = await findDisowned(context, link)
  return found === undefined
    ? { page: 'over' }
    : { page: 'choose', account: { username: found.account.user.username } }
}

/**
 * Undoes a change that the owner of an account did not make, and what followed it. Sessions and grants end, and so does the
 * password, which somebody knows: a new one is chosen by a link of its own, for which the second step is asked as ever.
 * It signs nobody in. All of it can be repeated until the link is used up, which comes last.
 * @throws StorageUnavailable
 */
export async function takeNotMe(context: NotMeContext, link: Link): Promise<NotMePage> {
  const found = await findDisowned(context, link)
  if (found === undefined) return { page: 'over' }
  const { storage } = context
  const { kept, disowned } = found
  const { username } = found.account.user
  const ended = await suspendAccess(context, found)
  if (ended === undefined) return { page: 'over' }
  const { removed, event } = ended
  // What took nothing away, as in a second tab, is told once, by the link.
  const events = removed.length > 0 ? [] : [event]
  const taken = await commit(context, events, { sub: found.account.user.sub }, (told) =>
    storage.evidence.take(link.tag, link.digest, kept, told),
  )
  if (taken !== 'taken') return { page: 'over' }
  await Promise.all([
    queueEndings(context, username, ended.before),
    indexUser(storage, username, ended.former),
    storage.evidence.end(evidenceTag(username)),
    storage.evidence.end(link.tag),
  ])
  return {
    page: 'done',
    is_loss: disowned.is_loss === true,
    is_suspended: removed.includes('app'),
  }
}

/**
 * What is taken away of factors, as the event names it; `app`: its codes count no more, but a second step is still
 * asked for.
 */
type Suspended = 'passkeys' | 'totp' | 'app' | 'codes'

/** Returns the factors without what was added since, what that is, and the passkeys among it. */
function suspendFactors(
  before: Factors,
  since: number,
  disowned: Disowned,
): { readonly factors: Factors; readonly suspended: readonly Suspended[]; readonly lost: readonly string[] } {
  const suspended: Suspended[] = []
  const lost = [...before.passkeys].filter(([, { created_at }]) => created_at >= since).map(([id]) => id)
  if (lost.length > 0) suspended.push('passkeys')
  const passkeys = new Map([...before.passkeys].filter(([id]) => !lost.includes(id)))
  const factors = { ...suspendSecondStep(before, since, disowned, suspended), passkeys }
  return { factors, suspended, lost }
}

function suspendSecondStep(
  factors: Factors,
  since: number,
  { undoes }: Disowned,
  removed: Suspended[],
): Factors {
  const { totp, recovery, ...others } = factors
  const is_new = totp !== undefined && totp.created_at >= since
  // Whoever has the mailbox alone must not get past the second step that there was before.
  if (is_new && (totp.has_since ?? totp.created_at) >= since) {
    removed.push('totp')
    return withoutSecondStep(factors)
  }
  if (is_new) removed.push('app')
  const are_known = recovery !== undefined && (undoes === 'codes' || recovery.created_at >= since)
  if (are_known) removed.push('codes')
  return {
    ...others,
    ...(totp && { totp: is_new ? { ...totp, failures: MAX_FAILURES } : totp }),
    ...(recovery && !are_known && { recovery }),
  }
}

/**
 * Ends sessions, grants and the password, goes back to the address before, and takes away what was added since: in one
 * step with its event, so that nobody who comes in between by one of them stays.
 * @throws StorageUnavailable
 */
async function suspendAccess(
  context: NotMeContext,
  {
    account,
    kept: link,
    disowned,
  }: { readonly account: AccountNow; readonly kept: KeptEvidence; readonly disowned: Disowned },
): Promise<
  | {
      readonly removed: readonly string[]
      readonly event: SecurityEvent
      readonly before: number
      readonly former: Hash
    }
  | undefined
> {
  const { username, sub } = account.user
  const { from, to, links } = disowned
  for (;;) {
    // Somebody else may have an account with the address since: it stays theirs.
    const is_free = from !== undefined && !(await isNameTaken(context.storage, from, username))
    const now = await readAccountNow(context, username)
    if (now === undefined || now.user.sub !== sub) return undefined
    const { before, marks } = endMarks(context)
    // What an operator entered since stays.
    const goes_back = from !== undefined && to !== undefined && now.user.claims.email === to
    const set: Record<string, string> = {
      ...marks,
      ...(goes_back && { email: from, email_verified: String(is_free) }),
    }
    const had_links = now.user.linked_subjects ?? []
    const kept = had_links.filter((link) => links?.includes(link) ?? true)
    const lost_links = kept.length < had_links.length
    if (lost_links && kept.length > 0) Object.assign(set, { linked_subjects: kept.join(' ') })
    const unset = ['password_hash', ...(lost_links && kept.length === 0 ? ['linked_subjects'] : [])]
    const { factors, suspended, lost } = suspendFactors(
      now.factors,
      link.created_at - REPORTED_WITHIN,
      disowned,
    )
    const had_password = now.user.password_hash !== undefined
    const removed = [
      ...(had_password ? ['password'] : []),
      ...(goes_back ? ['address'] : []),
      ...(lost_links ? ['links'] : []),
      ...suspended,
    ]
    const event: SecurityEvent = { event: 'change_disowned', username, change: disowned.event, removed }
    const change = { set, unset, factors, whole: true } as const
    const changed = await commit(context, removed.length > 0 ? [event] : [], { sub }, (told) =>
      changeAccount(context, now, { ...change, told }),
    )
    if (changed === undefined) continue
    await releasePasskeys(context, username, lost)
    return { removed, event, before, former: now.hash }
  }
}

async function findDisowned(
  context: Pick<NotMeContext, 'storage'>,
  { tag, digest }: Link,
): Promise<
  { readonly account: AccountNow; readonly kept: KeptEvidence; readonly disowned: Disowned } | undefined
> {
  const kept = await context.storage.evidence.read(tag, digest)
  const disowned = kept && readDisowned(kept)
  if (kept === undefined || disowned === undefined) return undefined
  const account = await readAccountNow(context, kept.account.slice(PURPOSE.length))
  return account === undefined || account.user.sub !== kept.account_state
    ? undefined
    : { account, kept, disowned }
}

function readDisowned({ purpose, value }: Evidence): Disowned | undefined {
  return purpose.startsWith(PURPOSE) ? (parseObject(value) as Disowned | undefined) : undefined
}
