import { createHmac } from 'node:crypto'
import type { SigningAlg } from '../../../src/core/algs.ts'
import { signJws } from '../../../src/keys/compact-jws.ts'
import { newKeyPair } from '../../../src/keys/generate.ts'
import { decodeJwt } from '../../../src/keys/jwt-reader.ts'
import type { KeyRing } from '../../../src/keys/ring.ts'

/** The parts of a JWT, to be changed. */
export interface JwtParts {
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

/**
 * What signs a JWT: the key of the server, a key that nobody published, the public key of the server as a secret (HS256),
 * or nothing.
 */
export type Signer = 'server' | 'stranger' | 'public_key' | 'nobody'

/** Returns the parts of a JWT of this server. @throws TypeError if it is none */
export function partsOf(jwt: string): JwtParts {
  const decoded = decodeJwt(jwt)
  if (decoded === undefined) throw new TypeError('not a JWT')
  return { header: { ...decoded.header }, claims: { ...decoded.claims } }
}

/**
 * Returns a JWT with any header and claims.
 * @param alg that of the key, whatever the header says
 * @throws StorageUnavailable if no key can sign
 */
export async function forge(
  keys: Pick<KeyRing, 'signingKey' | 'verificationKey'>,
  { header, claims }: JwtParts,
  alg: SigningAlg,
  signer: Signer,
): Promise<string> {
  const input = `${encode(header)}.${encode(claims)}`
  switch (signer) {
    case 'nobody':
      return `${input}.`
    case 'public_key': {
      const { kid } = keys.signingKey(alg)
      const pem = keys.verificationKey(kid)?.publicKey.export({ format: 'pem', type: 'spki' }) ?? ''
      return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`
    }
    case 'stranger':
      return signJws({ alg, privateKey: await strangersKey(alg) }, input)
    default:
      return signJws(keys.signingKey(alg), input)
  }
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

type PrivateKey = Awaited<ReturnType<typeof newKeyPair>>['privateKey']

// It proves nothing anywhere, so all servers of a process may have the same.
const strangers = new Map<SigningAlg, Promise<PrivateKey>>()

function strangersKey(alg: SigningAlg): Promise<PrivateKey> {
  const key = strangers.get(alg) ?? newKeyPair(alg).then(({ privateKey }) => privateKey)
  strangers.set(alg, key)
  return key
}
