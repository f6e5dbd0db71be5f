import { isDeepStrictEqual } from 'node:util'
import type { SigningKeyRecord } from './key-record.ts'
import { RETIRED_FOR } from './timing.ts'

/** Whose keys sign after those of two installations were put together. */
export type SigningInstallation = 'own' | 'moved'

/** Whether all keys are among the stored ones, whatever became of them since. */
export function areStored(stored: readonly SigningKeyRecord[], moved: readonly SigningKeyRecord[]): boolean {
  return moved.every(({ kid, alg, public_jwk }) =>
    stored.some((key) => key.kid === kid && key.alg === alg && isDeepStrictEqual(key.public_jwk, public_jwk)),
  )
}

/**
 * Puts the keys of another installation with those that are stored. Each key that signed stays published for its tokens;
 * one algorithm has one key that signs, and one that signs next.
 * @param signing whose those are
 */
export function mergeKeys(
  stored: readonly SigningKeyRecord[],
  moved: readonly SigningKeyRecord[],
  signing: SigningInstallation,
  now: Date,
): SigningKeyRecord[] {
  const [first, second] = signing === 'own' ? [stored, moved] : [moved, stored]
  const others = second.filter(({ kid }) => !first.some((key) => key.kid === kid))
  // One that has signed nothing is of no use.
  return [...first, ...others.filter(({ status }) => status !== 'next').map((key) => retire(key, now))]
}

function retire(key: SigningKeyRecord, now: Date): SigningKeyRecord {
  if (key.status === 'retired') return key
  const published_until = new Date(now.getTime() + RETIRED_FOR * 1000).toISOString()
  return { ...key, status: 'retired', published_until }
}
