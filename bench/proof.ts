// DPoP proofs (RFC 9449 §4.2) of a user of the load.
import { generateKeyPairSync, hash, type KeyObject, randomUUID } from 'node:crypto'
import { signJws } from '../src/keys/compact-jws.ts'

export interface ProofKey {
  privateKey: KeyObject
  /** The encoded header of its proofs. */
  header: string
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function makeProofKey(): ProofKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  return { privateKey, header: encode({ typ: 'dpop+jwt', alg: 'ES256', jwk }) }
}

/** Returns a new proof for a request. */
export function makeProof(
  { privateKey, header }: ProofKey,
  htm: string,
  url: URL,
  access_token?: string,
): string {
  const iat = Math.floor(Date.now() / 1000)
  const ath = access_token && hash('sha256', access_token, 'base64url')
  const claims = { jti: randomUUID(), htm, htu: url.href, iat, ...(ath && { ath }) }
  return signJws({ alg: 'ES256', privateKey }, `${header}.${encode(claims)}`)
}
