import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../keys/timing.ts'
import type { SingleUse } from '../storage/families.ts'
import type { Assertion } from './verify-assertion.ts'

const FAMILY_LENGTH = 16

/**
 * Returns what makes an assertion usable once (RFC 7523 §3); undefined if its issuer allows reuse. The family id of its id
 * makes it share a slot of a Redis Cluster with what the assertion is granted.
 * @param now milliseconds since 1970
 */
export function singleUseOf({ issuer, claims }: Assertion, now: number): SingleUse | undefined {
  if (issuer.reusable) return undefined
  const digest = hash('sha256', JSON.stringify([issuer.issuer, claims.jti]), 'base64url')
  const left = claims.exp - Math.floor(now / 1000)
  return {
    kind: 'assertion',
    id: `${digest.slice(0, FAMILY_LENGTH)}.${digest}`,
    ttl: Math.ceil(left) + issuer.clock_skew + CLOCK_SKEW,
  }
}
