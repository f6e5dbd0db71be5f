// Signs JWTs that are invalid in one way, with the private keys of a service.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { JWK } from 'jose'
import type { Test } from 'tap'
import { bearer, ISSUER, type Service, startService } from './service.ts'

export type Json = Record<string, unknown>

export interface Signer {
  alg: string
  kid: string
  key: KeyObject
  public_jwk: JWK
}

/** One part of a JWT, encoded. */
export const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The private keys of a service, read from its storage. */
async function signersOf({ storage }: Service): Promise<Signer[]> {
  const stored = Object.values(await storage.signing_keys.read())
  return stored.map((json) => {
    const { alg, kid, private_jwk, public_jwk } = JSON.parse(json)
    return { alg, kid, public_jwk, key: createPrivateKey({ key: private_jwk, format: 'jwk' }) }
  })
}

/** A JWT with exactly this header and these claims. */
export function signWith(
  { alg, key }: Pick<Signer, 'alg' | 'key'>,
  header: unknown,
  claims: unknown,
): string {
  const input = Buffer.from(`${encode(header)}.${encode(claims)}`)
  const hash = alg === 'EdDSA' ? null : 'sha256'
  const pss = alg === 'PS256' ? { padding: 6, saltLength: 32 } : {}
  const signature = sign(hash, input, { key, dsaEncoding: 'ieee-p1363', ...pss })
  return `${input}.${signature.toString('base64url')}`
}

/** A service, its ES256 key, and a valid header and valid claims. */
export async function startWithSigner(t: Test) {
  // The issued format does not matter for what is accepted: every service accepts both.
  const service = await startService(t, { access_token_format: 'opaque' })
  const signers = await signersOf(service)
  const signer = signers.find(({ alg }) => alg === 'ES256')
  if (signer === undefined) throw new Error('there is no ES256 key')
  const now = Math.floor(Date.now() / 1000)
  const header: Json = { alg: signer.alg, kid: signer.kid, typ: 'at+jwt' }
  const claims: Json = {
    iss: ISSUER,
    sub: 'alice',
    aud: ISSUER,
    client_id: 'app',
    scope: 'openid api.read',
    jti: 'a-jti',
    iat: now,
    exp: now + 60,
  }
  const ask = async (token: string) => (await service.get('/api/resource', bearer(token))).status
  return { ...service, signers, signer, header, claims, now, ask }
}
