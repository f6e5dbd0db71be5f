import type { KeyObject } from 'node:crypto'
import { SIGNING_ALGS, type SigningAlg, verifiedAlg } from '../core/algs.ts'
import { isObject } from '../core/json.ts'
import { readVerificationKey, type VerificationKey } from './verification-key.ts'

const MAX_KEYS = 100
// SPIFFE bundles mark the keys of JWTs with a use of their own (SPIFFE Trust Domain and Bundle §4.2.2).
const SIGNING_USES = [undefined, 'sig', 'jwt-svid']

// RFC 7518 §6.2.2, §6.3.2 and §6.4.1; `priv` is that of RFC 9964.
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

// RFC 7518 §6.1, RFC 8037 §2.
const KEY_TYPES = { ES256: 'EC', RS256: 'RSA', PS256: 'RSA', EdDSA: 'OKP' } as const satisfies Record<
  SigningAlg,
  string
>

interface PublishedKey extends VerificationKey {
  /** Whether the key set names it; only then does a header find it by name. */
  readonly named: boolean
  /** Its certificate in DER (RFC 7517 §4.7), empty if it is malformed; absent: it has none. */
  readonly certificate?: Buffer
}

/** The octets of a certificate in DER, and its key. */
export interface PresentedKey {
  readonly der: Buffer
  readonly public_key: KeyObject
}

/** The keys of another party that verify what it signs. */
export class KeySet {
  readonly #keys: readonly PublishedKey[]

  constructor(keys: readonly PublishedKey[]) {
    this.#keys = keys
  }

  /**
   * Returns the key that a header names, for its algorithm. A header without `kid` means the only key that there is for
   * the algorithm.
   */
  find(kid: string | undefined, alg: SigningAlg): VerificationKey | undefined {
    const fitting = this.#keys.filter((key) => key.alg === alg)
    if (kid !== undefined) return fitting.find((key) => key.named && key.kid === kid)
    return fitting.length === 1 ? fitting[0] : undefined
  }

  /**
   * Returns the key of a certificate. RFC 8705 §2.2.2: where the key set has the certificate itself (`x5c`), no other
   * certificate of the same key counts.
   */
  findCertified({ der, public_key }: PresentedKey): VerificationKey | undefined {
    return this.#keys.find(({ certificate, publicKey }) =>
      certificate === undefined ? publicKey.equals(public_key) : certificate.equals(der),
    )
  }
}

/**
 * Reads a key set (RFC 7517 §5). Keys that cannot verify a signature are left out, as unknown ones are (§5).
 * @returns undefined if the document is not a key set, has more than 100 keys, or none that can be used
 */
export function readKeySet({ keys }: Readonly<Record<string, unknown>>): KeySet | undefined {
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) return undefined
  const usable = keys.filter(isObject).flatMap(readKey)
  return usable.length === 0 ? undefined : new KeySet(usable)
}

/** Whether a member of a key set is a private or a symmetric key, which nobody may publish. */
export function isSecretKey(jwk: unknown): boolean {
  return isObject(jwk) && (jwk.kty === 'oct' || SECRET_MEMBERS.some((name) => Object.hasOwn(jwk, name)))
}

/** Returns the algorithms that the keys of a key set verify. */
export function algsOf({ keys }: Readonly<Record<string, unknown>>): SigningAlg[] {
  return Array.isArray(keys)
    ? keys
        .filter(isObject)
        .flatMap(readKey)
        .map(({ alg }) => alg)
    : []
}

/** Returns the key in a member of a key set for each algorithm that it verifies; none if it cannot verify a signature. */
export function readKey(jwk: Record<string, unknown>): PublishedKey[] {
  const { kty, kid, alg, use, key_ops } = jwk
  if (!SIGNING_USES.some((known) => known === use)) return []
  if (Array.isArray(key_ops) && !key_ops.includes('verify')) return []
  const algs = SIGNING_ALGS.filter(
    (known) => kty === KEY_TYPES[known] && (alg === undefined || verifiedAlg(alg) === known),
  )
  return algs.flatMap((known) => {
    const named = typeof kid === 'string'
    const key = readVerificationKey(named ? kid : '', known, jwk)
    return key === undefined ? [] : [{ ...key, named, ...certificateIn(jwk) }]
  })
}

// RFC 7517 §4.7: the certificate of the key is the first one.
function certificateIn({ x5c }: Readonly<Record<string, unknown>>): Pick<PublishedKey, 'certificate'> {
  if (x5c === undefined) return {}
  const first: unknown = Array.isArray(x5c) ? x5c[0] : undefined
  return { certificate: Buffer.from(typeof first === 'string' ? first : '', 'base64') }
}
