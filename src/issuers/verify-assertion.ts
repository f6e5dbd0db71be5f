import type { Settings } from '../config/settings.ts'
import { type KeyConfirmation, readConfirmation } from '../core/confirmation.ts'
import type { JwtRefusal } from '../core/jwt-refusal.ts'
import { type JwtTypeName, readJwt, type UntypedJwt } from '../keys/jwt-reader.ts'
import type { KeyRing } from '../keys/ring.ts'
import { assertionProblem } from './assertion-claims.ts'
import { type AssertionClaims, isConditioned, unmetCondition } from './conditions.ts'
import type { Issuer } from './issuer-record.ts'
import type { IssuerRegistry } from './issuer-registry.ts'
import type { KeySets } from './key-sets.ts'

/** The dependencies of verifyAssertion. */
export interface AssertionContext {
  readonly issuers: Pick<IssuerRegistry, 'find'>
  readonly key_sets: Pick<KeySets, 'find'>
  readonly keys: Pick<KeyRing, 'notBefore'>
  readonly settings: Pick<Settings, 'issuer'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * What an assertion is presented for: as RFC 7523 §2.1 and §2.2 say, as a token to exchange (RFC 8693 §2.1), or to name a
 * person (CIBA §7.1).
 */
export type AssertionUse = Issuer['uses'][number] | 'exchange' | 'login_hint'

/** A verified assertion. */
export interface Assertion {
  readonly issuer: Issuer
  readonly claims: AssertionClaims & { readonly sub: string; readonly exp: number }
  /** What the issuer bound it to: whoever presents it must prove to have that. Absent: nothing. */
  readonly confirmation?: KeyConfirmation
}

/** Why an assertion is refused: as a JWT, or for its issuer or client; `detail` is for the log only. */
export interface AssertionRefusal extends Omit<JwtRefusal, 'fault'> {
  readonly ok: false
  readonly fault: JwtRefusal['fault'] | 'issuer' | 'client'
  readonly detail?: string
}

/** An assertion, or why it is invalid. */
export type VerifiedAssertion = ({ readonly ok: true } & Assertion) | AssertionRefusal

/** The longest assertion, in characters. Those of pods have 1,200, of Azure with groups 4,000. */
const MAX_ASSERTION = 8192

// SPIFFE JWT-SVID §2.3 allows JOSE.
const PLAIN_TYPES = [undefined, 'JWT', 'JOSE']
const AUTHENTICATION_TYPES = [...PLAIN_TYPES, 'client-authentication+jwt']
const ID_JAG_TYPES = ['oauth-id-jag+jwt']
// RFC 8725 §3.11: nothing else that the issuer signs names a person here.
const HINT_TYPES = ['login-hint+jwt']
// RFC 9068 §2.1: an access token of the issuer for this server.
const EXCHANGE_TYPES = [...PLAIN_TYPES, 'at+jwt']

/**
 * Verifies a JWT of a trusted issuer (RFC 7523 §3) with a key of that issuer and an algorithm that its record allows. What
 * costs most comes last: keys are fetched, and signatures verified, only of assertions whose claims are valid. Does not
 * check whether the assertion was used before.
 * @throws KeySetUnavailable; StorageUnavailable
 */
export async function verifyAssertion(
  context: AssertionContext,
  jwt: string,
  use: AssertionUse,
): Promise<VerifiedAssertion> {
  const refuse = (fault: AssertionRefusal['fault'], text: string, detail?: string) =>
    ({ ok: false, fault, text, ...(detail && { detail }) }) as const
  const read = readAssertion(jwt)
  if (typeof read === 'string') return refuse('malformed', read)
  const { alg, kid, claims } = read
  const issuer = typeof claims.iss === 'string' ? await context.issuers.find(claims.iss) : undefined
  if (issuer === undefined) return refuse('issuer', 'its issuer is not trusted')
  if (!isFor(use, issuer)) return refuse('issuer', 'its issuer is not trusted for this')
  // draft-ietf-oauth-identity-assertion-authz-grant §9.3: it would give a sign-in here more than that was granted.
  if (issuer.profile === 'id-jag' && issuer.issuer === context.settings.issuer)
    return refuse('issuer', 'it is by this server itself, and for another one')
  if (!issuer.algorithms.includes(alg)) return refuse('issuer', 'its issuer may not use its algorithm')
  const unverified = read.ofType(typesFor(use, issuer))
  if (typeof unverified === 'string') return refuse('malformed', unverified)
  const problem = assertionProblem(claims, issuer, {
    own_issuer: context.settings.issuer,
    not_before: context.keys.notBefore,
    now: context.now(),
  })
  if (problem !== undefined) return { ok: false, ...problem }
  const confirmation = readConfirmation(claims.cnf)
  if (confirmation === 'unknown') return refuse('claims', 'it is bound in a way that is not known')
  // RFC 7521 §3: what needs a proof is no bearer assertion, and only the grant looks at proofs.
  if (confirmation !== undefined && use === 'client_authentication') {
    return refuse('claims', 'it is bound to a key or a certificate: only a grant can be')
  }
  const unmet = unmetCondition(issuer.conditions, claims)
  if (unmet !== undefined) return refuse('issuer', 'it does not meet a condition of its issuer', unmet)
  // draft-ietf-oauth-identity-assertion-authz-grant §3: with tenants, a sub is unique in its tenant only.
  if (isForAnyTenant(use, issuer) && claims.tenant !== undefined) {
    return refuse('issuer', 'it is of a tenant of its issuer, and no condition says of which')
  }
  const key = await context.key_sets.find(issuer, kid, alg)
  if (key === undefined) return refuse('unproven', 'its issuer has no such key')
  if (!unverified.isSignedBy(key)) return refuse('unproven', 'its signature is invalid')
  const verified = { ok: true, issuer, claims: claims as Assertion['claims'] } as const
  return confirmation === undefined ? verified : { ...verified, confirmation }
}

/** Reads an assertion, as readJwt. */
export function readAssertion(jwt: string): UntypedJwt | string {
  return readJwt(jwt, MAX_ASSERTION)
}

function isFor(use: AssertionUse, { profile, uses, exchange, login_hints }: Issuer): boolean {
  if (use === 'exchange') return exchange
  if (use === 'login_hint') return login_hints
  return profile === 'id-jag' ? use === 'grant' : uses.includes(use)
}

/** Whether an assertion names a user, and the record of its issuer does not say those of which tenant. */
function isForAnyTenant(use: AssertionUse, { profile, conditions }: Issuer): boolean {
  return (
    (profile === 'id-jag' || use === 'exchange' || use === 'login_hint') &&
    !isConditioned(conditions, 'tenant')
  )
}

function typesFor(use: AssertionUse, { profile }: Issuer): readonly JwtTypeName[] {
  if (use === 'exchange') return EXCHANGE_TYPES
  if (use === 'login_hint') return HINT_TYPES
  if (profile === 'id-jag') return ID_JAG_TYPES
  return use === 'grant' ? PLAIN_TYPES : AUTHENTICATION_TYPES
}
