import { hasPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Link, LinkAnswer } from '../core/link.ts'
import { readAccountNow } from '../factors/account-now.ts'
import { passkeyDigest } from '../factors/passkeys/passkey-owner.ts'
import type { LinkAccount } from '../pages/link-account.ts'
import type { ShownPasskey } from '../pages/passkey-list.ts'
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
  | { readonly page: 'done' }
  | { readonly page: 'over' }

const TEN_MINUTES = 600_000
const PURPOSE = 'review_passkeys'

/**
 * Asks somebody who has just come back into an account, and passed its second factor, whether its passkeys are still
 * theirs. Only the browser that did it gets to know the link. Without passkeys there is nothing to ask.
 * @param made the digest of the passkey by which they came back: it is not asked about
 * @throws StorageUnavailable
 */
export async function beginReview(context: ReviewContext, username: string, made = ''): Promise<ReviewPage> {
  const account = await readAccountNow(context, username)
  if (account === undefined || !hasPasskeys(context.settings)) return { page: 'done' }
  if (othersThan(made, account.factors.passkeys.keys()).length === 0) return { page: 'done' }
  const { link } = await giveLink(context, PURPOSE, account, {
    from: context.now(),
    lasts: TEN_MINUTES,
    value: made,
  })
  return showReview(context, link)
}

/** Returns what the page shows. It changes nothing. @throws StorageUnavailable */
export async function showReview(context: ReviewContext, link: Link): Promise<ReviewPage> {
  const found = await findProved(context, link, PURPOSE)
  if (found === undefined) return { page: 'over' }
  const { account, kept } = found
  const { listPasskeys } = await import('../factors/passkeys/manage-passkeys.ts')
  const others = othersThan(kept.value, account.factors.passkeys.keys())
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
  const { value: made } = kept
  if ((await evidence.take(link.tag, link.digest, evidenceOf(account, PURPOSE, made))) !== 'taken')
    return { page: 'over' }
  if (passkey === '') return { page: 'done' }
  const { username } = account.user
  const others = othersThan(made, account.factors.passkeys.keys())
  const { removeAllPasskeys, removePasskey } = await import('../factors/passkeys/manage-passkeys.ts')
  if (passkey === 'all') await removeAllPasskeys(context, username, others)
  else if (others.includes(passkey)) await removePasskey(context, username, passkey)
  return beginReview(context, username, made)
}

/** Those of credential ids that have another digest. */
const othersThan = (made: string, ids: Iterable<string>): string[] =>
  [...ids].filter((id) => passkeyDigest(id) !== made)
