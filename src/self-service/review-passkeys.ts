import { hasPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Transaction } from '../core/ids.ts'
import type { Link, LinkAnswer } from '../core/link.ts'
import { present } from '../core/present.ts'
import { readAccountNow } from '../factors/account-now.ts'
import { passkeyDigest } from '../factors/passkeys/passkey-owner.ts'
import type { LinkSignIn } from '../interaction/sign-in-by-link.ts'
import type { LinkAccount } from '../pages/link-account.ts'
import type { ShownPasskey } from '../pages/passkey-list.ts'
import type { KeptEvidence } from '../storage/evidence.ts'
import { evidenceOf, findProved, giveLink, type LinkEvidenceContext } from './account-link.ts'

/** What it takes to ask whether passkeys are still one's own. */
export interface ReviewContext extends LinkEvidenceContext {
  readonly settings: Pick<Settings, 'issuer' | 'passkeys'>
  readonly report: ReportEvent
}

/** What the page of a review shows. `link`: what its form belongs to from now on. */
export type ReviewPage =
  | {
      readonly page: 'review'
      readonly account: LinkAccount
      readonly link: Link
      readonly passkeys: readonly ShownPasskey[]
      readonly now: number
    }
  | Done
  | { readonly page: 'over' }

/** It is done: who came back is signed in, and goes on with the request that waits. */
interface Done extends CameBack {
  readonly page: 'done'
}

/** Somebody who came back into an account, with what was proven of that. */
export interface CameBack {
  readonly arrival: LinkSignIn
  /** The request that waits, sealed. */
  readonly request?: Transaction
}

/** What is kept of it while the page asks. */
interface Kept extends Pick<LinkSignIn, 'method' | 'proven'> {
  /** The digest of the passkey by which they came back: it is not asked about. */
  readonly made: string
}

const TEN_MINUTES = 600_000
const PURPOSE = 'review_passkeys'

/**
 * Asks somebody who has just come back into an account, and passed its second factor, whether its passkeys are still
 * theirs. Only the browser that did it gets to know the link. Without passkeys there is nothing to ask.
 * @param made the digest of the passkey by which they came back: it is not asked about
 * @throws StorageUnavailable
 */
export async function beginReview(context: ReviewContext, back: CameBack, made = ''): Promise<ReviewPage> {
  const { arrival, request } = back
  const { username, method, proven } = arrival
  const account = await readAccountNow(context, username)
  if (account === undefined || !hasPasskeys(context.settings)) return { page: 'done', ...back }
  if (othersThan(made, account.factors.passkeys.keys()).length === 0) return { page: 'done', ...back }
  const kept: Kept = { made, method, ...present({ proven }) }
  const { link } = await giveLink(context, PURPOSE, account, {
    from: context.now(),
    lasts: TEN_MINUTES,
    value: JSON.stringify(kept),
    ...present({ request }),
  })
  return showReview(context, link)
}

/** Returns what the page shows. It changes nothing. @throws StorageUnavailable */
export async function showReview(context: ReviewContext, link: Link): Promise<ReviewPage> {
  const found = await findProved(context, link, PURPOSE)
  if (found === undefined) return { page: 'over' }
  const { account, kept } = found
  const { listPasskeys } = await import('../factors/passkeys/manage-passkeys.ts')
  const { made } = readKept(kept)
  const others = othersThan(made, account.factors.passkeys.keys())
  const passkeys = listPasskeys(account.factors).filter(({ id }) => others.includes(id))
  const { username } = account.user
  return { page: 'review', account: { username }, link, passkeys, now: context.now() }
}

/**
 * Removes the passkey that an answer names, or `all`, and asks about those that are left. Any other answer is the end of it.
 * @throws StorageUnavailable
 */
export async function takeReview(
  context: ReviewContext,
  link: Link,
  { passkey = '' }: LinkAnswer,
): Promise<ReviewPage> {
  const found = await findProved(context, link, PURPOSE)
  if (found === undefined) return { page: 'over' }
  const { account, kept } = found
  const { evidence } = context.storage
  if ((await evidence.take(link.tag, link.digest, evidenceOf(account, PURPOSE, kept.value))) !== 'taken')
    return { page: 'over' }
  const { username } = account.user
  const { made, ...proof } = readKept(kept)
  const { request } = kept
  const back = { arrival: { username, ...proof, confirms: false }, ...present({ request }) }
  if (passkey === '') return { page: 'done', ...back }
  const others = othersThan(made, account.factors.passkeys.keys())
  const { removeAllPasskeys, removePasskey } = await import('../factors/passkeys/manage-passkeys.ts')
  if (passkey === 'all') await removeAllPasskeys(context, username, others)
  else if (others.includes(passkey)) await removePasskey(context, username, passkey)
  return beginReview(context, back, made)
}

const readKept = ({ value }: KeptEvidence): Kept => JSON.parse(value) as Kept

/** Those of credential ids that have another digest. */
const othersThan = (made: string, ids: Iterable<string>): string[] =>
  [...ids].filter((id) => passkeyDigest(id) !== made)
