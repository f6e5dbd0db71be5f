import { isObject } from '../core/json.ts'
import { SIGNING_ALGS, type SigningAlg } from '../core/signing-algs.ts'
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
}

/**
 * Reads a key set (RFC 7517 §5). Keys that cannot verify a signature are left out, as unknown ones are (§5).
 * @returns undefined if the document is no key set, has more than 100 keys, or none that can be used
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

/** Returns the key in a member of a key set for each algorithm that it verifies; none if it cannot verify a signature. */
export function readKey(jwk: Record<string, unknown>): PublishedKey[] {
  const { kty, kid, alg, use, key_ops } = jwk
  if (!SIGNING_USES.some((known) => known === use)) return []
  if (Array.isArray(key_ops) && !key_ops.includes('verify')) return []
  const algs = SIGNING_ALGS.filter(
    (known) => kty === KEY_TYPES[known] && (alg === undefined || alg === known),
  )
  return algs.flatMap((known) => {
    const named = typeof kid === 'string'
    const key = readVerificationKey(named ? kid : '', known, jwk)
    return key === undefined ? [] : [{ ...key, named }]
  })
}
