import { hash } from 'node:crypto'
import { CLOCK_SKEW } from '../core/clock-skew.ts'
import type { SingleUse } from '../storage/single-use.ts'
import type { Assertion } from './verify-assertion.ts'

const FAMILY_LENGTH = 16

/**
 * Returns what makes an assertion usable once (RFC 7523 §3); undefined if its issuer allows reuse. The family id of its id
 * makes it share a slot of a Redis Cluster with what the assertion is granted.
 * @param now milliseconds since 1970
 */
export function singleUseOf({ issuer, claims }: Assertion, now: number): SingleUse | undefined {
  if (issuer.reusable) return undefined
  return assertionUse([issuer.issuer, String(claims.jti)], claims.exp + issuer.clock_skew, now)
}

/**
 * Returns what makes the assertion that these texts identify usable once.
 * @param until until when a server whose clock is behind accepts it, in seconds since 1970
 * @param now milliseconds since 1970
 */
export function assertionUse(texts: readonly string[], until: number, now: number): SingleUse {
  const digest = hash('sha256', JSON.stringify(texts), 'base64url')
  return {
    kind: 'assertion',
    id: `${digest.slice(0, FAMILY_LENGTH)}.${digest}`,
    ttl: Math.ceil(until - Math.floor(now / 1000)) + CLOCK_SKEW,
  }
}
