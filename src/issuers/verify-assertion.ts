import type { Settings } from '../config/settings.ts'
import { type Confirmation, readConfirmation } from '../core/confirmation.ts'
import { SIGNING_ALGS } from '../core/signing-algs.ts'
import {
  hasExtension,
  isKidOrAbsent,
  isSignedBy,
  mediaType,
  readJwsPart,
  splitJws,
} from '../keys/compact-jws.ts'
import type { KeyRing } from '../keys/ring.ts'
import { assertionProblem } from './assertion-claims.ts'
import { type AssertionClaims, unmetCondition } from './conditions.ts'
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

/** What an assertion is presented for (RFC 7523 §2.1 and §2.2). */
export type AssertionUse = Issuer['uses'][number]

/** A verified assertion. */
export interface Assertion {
  readonly issuer: Issuer
  readonly claims: AssertionClaims & { readonly sub: string; readonly exp: number }
  /** What the issuer bound it to: whoever presents it must prove to have that. Absent: nothing. */
  readonly confirmation?: Confirmation
}

/** An assertion, or the reason why it is invalid; `detail` is for the log only. */
export type VerifiedAssertion =
  | ({ readonly ok: true } & Assertion)
  | { readonly ok: false; readonly reason: string; readonly detail?: string }

/** The longest assertion, in characters. Those of pods have 1,200, of Azure with groups 4,000. */
const MAX_ASSERTION = 8192

// RFC 8725 §3.11: the type keeps one kind of JWT from passing as another. SPIFFE JWT-SVID §2.3 allows JOSE.
const PLAIN_TYPES = [undefined, 'application/jwt', 'application/jose']
const AUTHENTICATION_TYPES = [...PLAIN_TYPES, 'application/client-authentication+jwt']
const ID_JAG_TYPES = ['application/oauth-id-jag+jwt']

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
  const refuse = (reason: string, detail?: string) =>
    ({ ok: false, reason, ...(detail && { detail }) }) as const
  const unverified = readAssertion(jwt)
  if (typeof unverified === 'string') return refuse(unverified)
  const { header, claims, signature } = unverified
  const alg = SIGNING_ALGS.find((known) => known === header.alg)
  if (alg === undefined) return refuse('its algorithm is not supported')
  const issuer = typeof claims.iss === 'string' ? await context.issuers.find(claims.iss) : undefined
  if (issuer === undefined) return refuse('its issuer is not trusted')
  if (!isFor(use, issuer)) return refuse('its issuer is not trusted for this')
  if (!issuer.algorithms.includes(alg)) return refuse('its issuer may not use its algorithm')
  const { typ, kid } = header
  const type = typeof typ === 'string' ? mediaType(typ) : typ
  if (!typesFor(use, issuer).some((known) => known === type)) return refuse('of another type')
  if (!isKidOrAbsent(kid)) return refuse('its kid is not a string')
  const problem = assertionProblem(claims, issuer, {
    own_issuer: context.settings.issuer,
    not_before: context.keys.notBefore,
    now: context.now(),
  })
  if (problem !== undefined) return refuse(problem)
  const confirmation = readConfirmation(claims.cnf)
  if (confirmation === 'unknown') return refuse('it is bound in a way that is not known')
  // RFC 7521 §3: what needs a proof is no bearer assertion, and only the grant looks at proofs.
  if (confirmation !== undefined && use === 'client_authentication') {
    return refuse('it is bound to a key or a certificate: only a grant can be')
  }
  const unmet = unmetCondition(issuer.conditions, claims)
  if (unmet !== undefined) return refuse('it does not meet a condition of its issuer', unmet)
  // RFC 8725 §3.10: no key and no address of the header is used.
  const key = await context.key_sets.find(issuer, kid, alg)
  if (key === undefined) return refuse('its issuer has no such key')
  if (!isSignedBy(key, jwt, signature)) return refuse('its signature is invalid')
  const verified = { ok: true, issuer, claims: claims as Assertion['claims'] } as const
  return confirmation === undefined ? verified : { ...verified, confirmation }
}

/** The parts of an assertion whose signature is not verified yet. */
export interface UnverifiedAssertion {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: AssertionClaims
  readonly signature: Buffer
}

/** Reads an assertion. Returns the problem of one that is too long or malformed, or has an extension. */
export function readAssertion(jwt: string): UnverifiedAssertion | string {
  if (jwt.length > MAX_ASSERTION) return `longer than ${MAX_ASSERTION} characters`
  const parts = splitJws(jwt)
  if (parts === undefined) return 'not three parts in canonical base64url'
  const [header, claims] = [readJwsPart(parts[0]), readJwsPart(parts[1])]
  if (header === undefined || claims === undefined) return 'its header or its claims are not a JSON object'
  return hasExtension(header) ? 'its header has an extension' : { header, claims, signature: parts[2] }
}

function isFor(use: AssertionUse, { profile, uses }: Issuer): boolean {
  return profile === 'id-jag' ? use === 'grant' : uses.includes(use)
}

function typesFor(use: AssertionUse, { profile }: Issuer): readonly (string | undefined)[] {
  if (profile === 'id-jag') return ID_JAG_TYPES
  return use === 'grant' ? PLAIN_TYPES : AUTHENTICATION_TYPES
}
