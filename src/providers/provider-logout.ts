import { CLOCK_SKEW } from '../core/clock-skew.ts'
import { isObject } from '../core/json.ts'
import type { JwtRefusal } from '../core/jwt-refusal.ts'
import { refusedFor } from '../core/jwt-refusal.ts'
import { logoutTokenRefused, providerKeysAway } from '../core/request-errors.ts'
import { useOnce } from '../interaction/use-once.ts'
import { isText, mayBeFromBefore, timeProblem } from '../issuers/assertion-claims.ts'
import type { KeySets } from '../issuers/key-sets.ts'
import { readJwt } from '../keys/jwt-reader.ts'
import { KeySetUnavailable } from '../keys/published-keys.ts'
import type { KeyRing } from '../keys/ring.ts'
import { LOGOUT_EVENT } from '../logout/logout-token.ts'
import { type EndUpstreamContext, endUpstream } from './end-upstream.ts'
import { findProvider } from './find-providers.ts'
import type { Provider } from './provider-record.ts'

/** What it takes to end sessions because a provider says so. */
export interface ProviderLogoutContext extends EndUpstreamContext {
  readonly key_sets: Pick<KeySets, 'find'>
  readonly keys: Pick<KeyRing, 'notBefore'>
}

/** The longest logout token, in characters, and the longest time that one is for, in seconds. */
const LONGEST = { text: 4096, time: 600 }
// OpenID Connect Back-Channel Logout §2.4: a type is recommended, and older providers set none.
const TYPES = [undefined, 'JWT', 'logout+jwt']

/**
 * Ends the sessions that began by a provider and that its logout token names (OpenID Connect Back-Channel Logout §2.6): with
 * a `sid` those that began with this session there, else all of the person that did. Sessions by a password or by another
 * provider are none of this one, and stay (§2.7).
 * @throws OAuthError if the token is refused; StorageUnavailable
 */
export async function endByProvider(
  context: ProviderLogoutContext,
  name: string,
  logout_token: string,
): Promise<void> {
  const provider = await findProvider(context, name)
  if (provider === undefined) throw logoutTokenRefused(refusedFor('claims', 'there is no such provider'))
  const { sub, sid, jti, exp } = await verify(context, provider, logout_token)
  const seconds = exp - context.now() / 1000
  if (!(await useOnce(context, 'provider logout', `${provider.issuer} ${jti}`, seconds)))
    throw logoutTokenRefused(refusedFor('claims', 'it was used before'))
  // What began in this millisecond ends, too.
  await endUpstream(context, provider, { sub, sid, before: context.now() + 1 })
}

/** What a logout token names: one of `sub` and `sid`, or both. */
interface NamedSessions {
  readonly sub: string | undefined
  readonly sid: string | undefined
  readonly jti: string
  readonly exp: number
}

async function verify(
  { key_sets, keys, now }: ProviderLogoutContext,
  { provider, issuer, client_id }: Provider,
  logout_token: string,
): Promise<NamedSessions> {
  const refuse = (fault: JwtRefusal['fault'], text: string) => logoutTokenRefused(refusedFor(fault, text))
  const read = readJwt(logout_token, LONGEST.text)
  if (typeof read === 'string') throw refuse('malformed', read)
  const unverified = read.ofType(TYPES)
  if (typeof unverified === 'string') throw refuse('malformed', unverified)
  const { alg, kid, claims } = read
  const { iss, aud, sub, sid, jti, events, nonce, exp } = claims
  if (iss !== issuer || ![aud].flat().includes(client_id))
    throw refuse('claims', 'of another issuer, or for another client')
  if (!isObject(events) || !isObject(events[LOGOUT_EVENT]))
    throw refuse('claims', 'without the event of a logout')
  // An id_token has one.
  if (nonce !== undefined) throw refuse('claims', 'with a nonce')
  if (!isText(jti)) throw refuse('claims', 'without a jti')
  if (!isGiven(sub) || !isGiven(sid)) throw refuse('claims', 'with a sub or a sid that is not a text')
  if (sub === undefined && sid === undefined) throw refuse('claims', 'without a sub and without a sid')
  const limits = { max_lifetime: LONGEST.time, clock_skew: CLOCK_SKEW }
  const problem = timeProblem(claims, limits, Math.floor(now() / 1000))
  if (problem !== undefined) throw logoutTokenRefused(problem)
  const since = Number(claims.iat ?? Number(exp) - LONGEST.time) - CLOCK_SKEW
  const restored = mayBeFromBefore(since, keys.notBefore)
  if (restored !== undefined) throw logoutTokenRefused(restored)
  // What costs most comes last.
  const key = await key_sets.find({ issuer }, kid, alg).catch((error) => {
    if (error instanceof KeySetUnavailable) throw providerKeysAway(provider, error)
    throw error
  })
  if (key === undefined || !unverified.isSignedBy(key)) throw refuse('unproven', 'its signature is invalid')
  return { sub, sid, jti, exp: Number(exp) }
}

const isGiven = (value: unknown): value is string | undefined => value === undefined || isText(value)
