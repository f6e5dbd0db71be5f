import type { SigningAlg } from '../../../src/core/algs.ts'
import { newKeyPair } from '../../../src/keys/generate.ts'
import { decodeJwt } from '../../../src/keys/jwt-reader.ts'
import type { KeyRing } from '../../../src/keys/ring.ts'
import { pemOf, signedBy, withMac, withSignature } from '../../forge.ts'

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
  jwt: JwtParts,
  alg: SigningAlg,
  signer: Signer,
): Promise<string> {
  switch (signer) {
    case 'nobody':
      return withSignature(jwt, new Uint8Array())
    case 'public_key': {
      const key = keys.verificationKey(keys.signingKey(alg).kid)
      return withMac(key === undefined ? '' : pemOf(key.publicKey), jwt)
    }
    case 'stranger':
      return signedBy({ alg, privateKey: await strangersKey(alg) }, jwt)
    default:
      return signedBy(keys.signingKey(alg), jwt)
  }
}

type PrivateKey = Awaited<ReturnType<typeof newKeyPair>>['privateKey']

// It proves nothing anywhere, so all servers of a process may have the same.
const strangers = new Map<SigningAlg, Promise<PrivateKey>>()

function strangersKey(alg: SigningAlg): Promise<PrivateKey> {
  const key = strangers.get(alg) ?? newKeyPair(alg).then(({ privateKey }) => privateKey)
  strangers.set(alg, key)
  return key
}
