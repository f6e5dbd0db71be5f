import { createHash } from 'node:crypto'
import type { Settings } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { SigningAlg } from '../core/signing-algs.ts'
import type { KeyRing, SigningKey } from '../keys/ring.ts'
import type { SignIn } from './code-record.ts'
import { signJwt, verifyJwt } from './jwt.ts'

export interface IdTokenFacts {
  client_id: string
  sign_in: SignIn
  nonce?: string
  access_token: string
  /** What the client asked for by name, and nothing else. */
  claims: Readonly<Record<string, unknown>>
}

/** A signed id_token (OpenID Connect Core §2). */
export function signIdToken(
  { settings, now }: Pick<Context, 'settings' | 'now'>,
  key: SigningKey,
  facts: IdTokenFacts,
): string {
  const iat = Math.floor(now() / 1000)
  const { subject, auth_time, amr, acr, sid } = facts.sign_in
  return signJwt(key, 'JWT', {
    ...facts.claims,
    iss: settings.issuer,
    sub: subject,
    aud: facts.client_id,
    exp: iat + settings.id_token_ttl,
    iat,
    auth_time,
    // What is undefined has no place in JSON.
    amr: amr?.split(' '),
    acr,
    sid,
    nonce: facts.nonce,
    at_hash: accessTokenHash(facts.access_token, key.alg),
  })
}

// OpenID Connect Core §3.1.3.6: the left half of the digest that the signature uses; Ed25519's is SHA-512.
function accessTokenHash(access_token: string, alg: SigningAlg): string {
  const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
    .update(access_token, 'ascii')
    .digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

/** Whose session an id_token tells of. */
export interface IdTokenHint {
  client_id: string
  /** The user as the client knows them. */
  sub: string
  sid?: string
}

/**
 * Reads an id_token that comes back as `id_token_hint`, and may have expired long ago (OpenID Connect Core §3.1.2.1,
 * RP-Initiated Logout §2). Undefined where it is none of ours, or signed with a key that is published no more.
 * @throws StorageUnavailable while the key ring was not read for too long.
 */
export async function verifyIdToken(
  { settings, keys }: { settings: Pick<Settings, 'issuer'>; keys: Pick<KeyRing, 'verificationKey'> },
  token: string,
): Promise<IdTokenHint | undefined> {
  const verified = await verifyJwt(keys, token, 'JWT', {
    issuer: settings.issuer,
    requiredClaims: ['sub', 'aud', 'exp', 'iat'],
    // Before every end.
    currentDate: new Date(0),
  })
  if (!verified.ok) return undefined
  const { aud, sub, sid } = verified.claims
  if (typeof aud !== 'string' || typeof sub !== 'string') return undefined
  if (sid === undefined) return { client_id: aud, sub }
  return typeof sid === 'string' ? { client_id: aud, sub, sid } : undefined
}
