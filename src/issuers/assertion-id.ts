import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../keys/timing.ts'
import { ASSERTION_KIND } from '../storage/families.ts'
import type { Kind } from '../storage/records.ts'
import type { Assertion } from './verify-assertion.ts'

const FAMILY_LENGTH = 16

/** The ids of assertions that were used, by a token string that stands for issuer and `jti`. */
export const ASSERTION: Kind<{ readonly used_by: string; readonly client_id: string }> = {
  ...ASSERTION_KIND,
  format: (record) => record,
  parse: ({ used_by = '', client_id = '' }) => ({ ok: true, record: { used_by, client_id } }),
}

/** The id of an assertion, and for how many seconds it could be presented again. */
export interface SingleUse {
  readonly id: string
  readonly ttl: number
}

/**
 * Returns what makes an assertion usable once (RFC 7523 §3); undefined if its issuer allows reuse. The id is a digest in
 * the form of a token string: its family id makes it share a slot of a Redis Cluster with what the assertion is granted.
 * @param now milliseconds since 1970
 */
export function singleUseOf({ issuer, claims }: Assertion, now: number): SingleUse | undefined {
  if (issuer.reusable) return undefined
  const digest = hash('sha256', JSON.stringify([issuer.issuer, claims.jti]), 'base64url')
  const left = claims.exp - Math.floor(now / 1000)
  return {
    id: `${digest.slice(0, FAMILY_LENGTH)}.${digest}`,
    ttl: Math.ceil(left) + issuer.clock_skew + CLOCK_SKEW,
  }
}
