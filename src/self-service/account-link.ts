import type { AuditEntries } from '../core/audit-entries.ts'
import type { Transaction } from '../core/ids.ts'
import { type Link, newLink } from '../core/link.ts'
import { present } from '../core/present.ts'
import { type AccountNow, readAccountNow } from '../factors/account-now.ts'
import { accountState } from '../factors/account-state.ts'
import { type Evidence, evidenceTag, type KeptEvidence } from '../storage/evidence.ts'
import type { Storage } from '../storage/storage.ts'

interface AccountNowContext {
  readonly storage: Pick<Storage, 'evidence' | 'records'>
}

/**
 * Returns the evidence of a link for one purpose. Any browser can open it; which one does, its form is bound to. It dies
 * with each change of the account.
 */
export function evidenceOf({ user, factors }: AccountNow, purpose: string, value = ''): Evidence {
  return { purpose, step: 'choose', browser: '', value, account_state: accountState(user, factors) }
}

/** What it takes to make links that are evidence for an account, and to find them. */
export interface LinkEvidenceContext extends AccountNowContext {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How a link is given: from when, in milliseconds since 1970, and for how many. */
interface Giving {
  readonly from: number
  readonly lasts: number
  /** The exact value that it proves. */
  readonly value?: string
  /** What the audit trail says of it, in the same step. */
  readonly told?: AuditEntries | undefined
  /** The request that waits in the browser of who asked for it, sealed. */
  readonly request?: Transaction | undefined
}

/** Gives a link for an account as it is now. @throws StorageUnavailable */
export async function giveLink(
  { storage }: AccountNowContext,
  purpose: string,
  account: AccountNow,
  { from: created_at, lasts, value, told, request }: Giving,
): Promise<{ readonly link: Link; readonly ends_at: number }> {
  const { username } = account.user
  const link = newLink(evidenceTag(username))
  const ends_at = created_at + lasts
  const kept = {
    ...evidenceOf(account, purpose, value),
    account: username,
    created_at,
    ends_at,
    ...present({ request }),
  }
  await storage.evidence.give(link.digest, kept, told)
  return { link, ends_at }
}

/** Finds what a link of this purpose proves, and for whom; undefined: nothing any more. @throws StorageUnavailable */
export async function findProved(
  context: AccountNowContext,
  { tag, digest }: Link,
  purpose: string,
): Promise<{ readonly account: AccountNow; readonly kept: KeptEvidence } | undefined> {
  const kept = await context.storage.evidence.read(tag, digest)
  if (kept?.purpose !== purpose) return undefined
  const account = await readAccountNow(context, kept.account)
  if (account === undefined) return undefined
  const { account_state } = evidenceOf(account, purpose)
  return kept.account_state === account_state ? { account, kept } : undefined
}
