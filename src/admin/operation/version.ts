import { hash as digest } from 'node:crypto'
import type { Hash } from '../../core/record-hash.ts'
import { AdminError } from './problem.ts'

/**
 * Returns the entity tag of a stored record (RFC 9110 §8.8.3): a digest of all its fields, in any order. Of digests of
 * secrets it says only whether they are there: whoever sees the other fields could try short secrets against it. A change
 * of a secret also changes when it was made.
 */
export function versionOf(stored: Hash): string {
  const fields = Object.entries(stored)
    .map(([name, value]) => [name, name.endsWith('_hash') && value !== '' ? 'set' : value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `"${digest('sha256', JSON.stringify(fields), 'base64url').slice(0, 22)}"`
}

/**
 * Checks that a record which a request would replace is as the caller read it. A dry run needs no version: it answers the
 * present one.
 * @throws AdminError `version_required` or `stale`
 */
export function assertReplaceable(stored: Hash, version: string | undefined, dry_run = false): void {
  if (version === undefined && !dry_run)
    throw new AdminError('version_required', 'The record exists: send the ETag with which it was read.', [], {
      received: { if_match: 'none' },
      expected: { header: 'If-Match' },
    })
  assertVersion(stored, version)
}

/**
 * Checks that a record is as the caller read it. The change must expect all fields of `stored`, so that two operators
 * never overwrite each other.
 * @param version what the caller read; undefined: a command on the host, which needs none
 * @throws AdminError `stale`
 */
export function assertVersion(stored: Hash, version: string | undefined): void {
  if (version !== undefined && version !== versionOf(stored))
    throw new AdminError('stale', 'The record has changed since it was read: read it again.')
}
