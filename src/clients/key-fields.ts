import { isHttpsUrl } from '../config/page-links.ts'
import { json, text } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import { isObject, parseObject } from '../core/json.ts'
import { isSecretKey } from '../keys/key-set.ts'
import { instantProblem } from './client-secret.ts'

const MAX_KEYS = 20
const MAX_LENGTH = 16_384
const MAX_URI_LENGTH = 512

/** The fields of a client record about keys of the client (RFC 7591 §2). */
export const KEY_FIELDS = {
  /** Its public keys by value. */
  jwks: json({
    check: (value) => keySetProblem(parseObject(value)),
    flag: {
      value: 'json',
      help: 'its public keys, a JSON Web Key Set',
      clear: 'remove its public keys',
    },
    docs: 'its public keys, a key set as JSON (RFC 7517 §5) with 1 to 20 keys; excludes `jwks_uri`',
  }),
  /** The address of its public keys. */
  jwks_uri: text({
    check: keySetUriProblem,
    flag: {
      value: 'uri',
      help: 'where its public keys are: an https URL at a public address',
      clear: 'remove the address of its public keys',
    },
    docs: 'the address of its public keys, an https URL; excludes `jwks`',
  }),
  /** Another value: keys that were fetched before are not used any more. */
  keys_refreshed_at: text({
    check: instantProblem,
    setBy: 'keys refresh',
    docs: 'when the servers were told to fetch the keys at `jwks_uri` again; a change takes effect within a second',
  }),
} satisfies FieldTable

/** Returns what is wrong with the address of a key set, as text that completes "<field> …". */
export function keySetUriProblem(uri: string): string | undefined {
  if (uri.length > MAX_URI_LENGTH) return `has more than ${MAX_URI_LENGTH} characters`
  return isHttpsUrl(uri) && !uri.includes('#')
    ? undefined
    : 'must be an https URL without user name, password and fragment'
}

/** Returns what is wrong with a key set of a client, as text that completes "<field> …". */
export function keySetProblem(jwks: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const keys = jwks?.keys
  if (!Array.isArray(keys) || !keys.every(isObject) || keys.length === 0 || keys.length > MAX_KEYS) {
    return `must be a JSON Web Key Set with 1 to ${MAX_KEYS} public keys, such as {"keys":[...]} (RFC 7517 §5)`
  }
  if (keys.some(isSecretKey)) {
    return 'has a private or a symmetric key: give the client a new key pair, and only the public key to this server'
  }
  return JSON.stringify(jwks).length > MAX_LENGTH ? `has more than ${MAX_LENGTH} characters` : undefined
}
