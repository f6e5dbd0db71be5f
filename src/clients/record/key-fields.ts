import { isHttpsUrl } from '../../config/page-links.ts'
import { SIGNING_ALGS } from '../../core/algs.ts'
import { json, oneOf, text } from '../../core/field-kinds.ts'
import type { FieldTable } from '../../core/field-table.ts'
import { isObject, parseObject } from '../../core/json.ts'
import { isSecretKey } from '../../keys/key-set.ts'
import { instantProblem } from './client-secret.ts'

/** The most keys in the key set of a client. */
export const MAX_KEYS = 20
const MAX_LENGTH = 16_384
const MAX_URI_LENGTH = 512

/** What the `aud` of the assertions of a client may be. */
const AUDIENCES = ['issuer', 'endpoint'] as const

/** The fields of a client record about keys of the client (RFC 7591 §2). */
export const KEY_FIELDS = {
  /** Its public keys by value. */
  jwks: json({
    label: 'Public keys',
    check: (value) => keySetProblem(parseObject(value)),
    flag: {
      group: 'authentication',
      value: 'json',
      help: 'its public keys, a JSON Web Key Set, instead of an address',
      clear: 'remove its public keys',
    },
    docs: 'its public keys, a key set as JSON (RFC 7517 §5) with 1 to 20 keys; excludes `jwks_uri`',
  }),
  /** The address of its public keys. */
  jwks_uri: text({
    label: 'Address of its public keys',
    check: keySetUriProblem,
    flag: {
      group: 'authentication',
      value: 'uri',
      help: 'where its public keys are: an https URL at a public address',
      clear: 'remove the address of its public keys',
    },
    docs: 'the address of its public keys, an https URL; excludes `jwks`',
  }),
  /** The algorithm of its assertions; absent: any that fits one of its keys. */
  token_endpoint_auth_signing_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of its assertions',
    flag: {
      group: 'authentication',
      name: 'auth-signing-alg',
      value: 'alg',
      help: 'the only algorithm of its assertions (`private_key_jwt`); default: any that fits one of its keys',
      clear: 'allow every algorithm that fits one of its keys',
    },
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`: the only algorithm of its assertions; default: any that fits one of its keys',
  }),
  /** Whether its assertions may be for the URL of the endpoint (RFC 7523 §3), and not only for the issuer. */
  assertion_audience: oneOf(AUDIENCES, {
    label: 'Audience of its assertions',
    choice_labels: { issuer: 'The issuer alone', endpoint: 'The issuer or the endpoint' },
    flag: {
      group: 'authentication',
      value: 'audience',
      help: '`issuer`: the `aud` of its assertions is no list; `endpoint`: it may also be the URL of the endpoint, [for old clients](client-keys.md#the-audience); default: `ISSUER`, also in a list of one',
    },
    docs: '`issuer`: the `aud` of its assertions is `ISSUER`, as a string; `endpoint`: it may also be the URL of the endpoint that it asks, for old clients; default: `ISSUER`, as a string or as a list of one',
  }),
  /** When its value changes, servers fetch the keys again before they use them. */
  keys_refreshed_at: text({
    label: 'Keys fetched again',
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
