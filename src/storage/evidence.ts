import { hash } from 'node:crypto'
import type { AuditEntries } from '../core/audit-entries.ts'
import type { Transaction } from '../core/ids.ts'

/**
 * What proves something for an account: a link, a code, a ceremony, an invitation. It counts once, for what it was made for.
 * All texts may be empty.
 */
export interface Evidence {
  /** What it allows, such as `reset_password`. A newer one of the same purpose and browser replaces an older one. */
  readonly purpose: string
  /** The step of the purpose that it is for. */
  readonly step: string
  /** The digest of the browser that it belongs to; empty: any browser. */
  readonly browser: string
  /** The exact value that it proves, such as an e-mail address. */
  readonly value: string
  /** The digest of what a change of the account changes. */
  readonly account_state: string
}

/** Evidence as it is kept. */
export interface KeptEvidence extends Evidence {
  /** The account that it is about: a username. */
  readonly account: string
  /** In milliseconds since 1970. */
  readonly created_at: number
  /** In milliseconds since 1970. */
  readonly ends_at: number
  /** A request that waits in the browser of who asked for it, sealed: what the evidence is for leads on to it there. */
  readonly request?: Transaction
}

/** What came of taking evidence: it counted and is gone; it is for something else and stays; there is none. */
export type Taken = 'taken' | 'refused' | 'missing'

/** The most that is kept for one account: the oldest gives way. */
export const EVIDENCE_PER_ACCOUNT = 16

/**
 * Evidence, by account and by the digest of the secret that goes out: `redmint:evidence:{<tag>}`, where the tag is
 * `evidenceTag(account)`, a hash with one field for each. Each call is one atomic step, and throws StorageUnavailable.
 */
export interface EvidenceStore {
  /**
   * Keeps it until `ends_at`, and removes what it replaces.
   * @param told what the audit trail says of it, in the same step
   */
  give(digest: string, evidence: KeptEvidence, told?: AuditEntries): Promise<void>
  /** Returns what is kept and did not end; undefined: there is none. It changes nothing. */
  read(tag: string, digest: string): Promise<KeptEvidence | undefined>
  /**
   * Uses it up if all that is expected is so, for one caller only, and removes all others of the same account and purpose.
   * Else it changes nothing: an attempt with something else does not use it up.
   * @param told as in give
   */
  take(tag: string, digest: string, expected: Evidence, told?: AuditEntries): Promise<Taken>
  /** Returns all of an account that did not end, by their digests. */
  list(tag: string): Promise<ReadonlyMap<string, KeptEvidence>>
  /** Ends one, or all of an account. */
  end(tag: string, digest?: string): Promise<void>
  /**
   * Ends all that was made before a time, in milliseconds since 1970, account by account, and returns how many. Scans all
   * keys: for a Redis that was restored from a backup.
   */
  endMadeBefore(time: number): Promise<number>
}

/** Returns the part of a link or a code that leads to the evidence of an account: 16 base64url characters. */
export const evidenceTag = (account: string): string =>
  hash('sha256', `evidence ${account}`, 'base64url').slice(0, 16)

/** Whether evidence is for exactly this. */
export function isAsExpected(kept: Evidence, expected: Evidence): boolean {
  return (
    kept.purpose === expected.purpose &&
    kept.step === expected.step &&
    kept.browser === expected.browser &&
    kept.value === expected.value &&
    kept.account_state === expected.account_state
  )
}
