import { isIP } from 'node:net'
import { isAdminScope } from '../core/admin-scopes.ts'
import { SIGNING_ALGS, type SigningAlg } from '../core/algs.ts'
import { isScopeToken, scopeNames } from '../core/scope.ts'
import { isUrl } from '../core/uri.ts'
import { ACCOUNT_FIELDS, type AccountField } from './account-fields.ts'
import { CLIENT_HOSTS, type ClientHosts, HOST_NAMES } from './client-hosts.ts'
import { listOf, type OptionForm, splitAtCommas } from './option-form.ts'
import { SCOPE_CLAIMS, type ScopeClaims } from './scope-claims.ts'
import { SCOPE_TEXTS, type ScopeTexts } from './scope-texts.ts'

/** Settings whose option has another form than their variable. */
export interface OtherForms {
  /**
   * Whether anyone signs in as anyone: `true` for an issuer on loopback, `private` for one in a private network, `public`
   * for any. Default: true with storage in
   * memory, and issuer and HOST on loopback, except in production.
   */
  demo: boolean | 'private' | 'public'
  signing_algs: readonly SigningAlg[]
  /** Claims that people change on their account page. Default: names and the language. */
  account_fields: readonly AccountField[]
  scope_texts: ScopeTexts
  scope_claims: ScopeClaims
  self_registered_scopes: readonly string[]
  client_id_metadata: ClientHosts
  /** Default: none. */
  client_id_metadata_deny: readonly string[]
  /** Host names with a port that is not 443; default: none, and there is no WebFinger. */
  webfinger_hosts: readonly string[]
  /** Whether a session outlives the browser: `choice`: the user says so at the sign-in. Default: false. */
  session_persistent: boolean | 'choice'
  /** Client ids; default: none, and no proxy may ask who a user is. */
  forward_auth_clients: readonly string[]
  /** Host names, with a port that is not 443. */
  issuer_private_hosts: readonly string[]
  /**
   * The addresses and CIDR blocks of the proxies that pass on client certificates; default: TRUSTED_PROXIES. Another
   * application that has redmint as a plugin names them here.
   */
  client_certificate_proxies: readonly string[]
  /** 32 bytes. */
  key_encryption_key?: Uint8Array
}

/** The form of each of them. */
export const OPTION_FORMS: {
  readonly [Name in keyof OtherForms]-?: OptionForm<NonNullable<OtherForms[Name]>>
} = {
  demo: {
    variable: 'true, false, private or public',
    option: 'true, false, "private" or "public"',
    parse: (text) => (text === 'private' || text === 'public' ? text : text === 'true'),
    accepts: (value) => typeof value === 'boolean' || value === 'private' || value === 'public',
  },
  session_persistent: {
    variable: 'true, false or choice',
    option: 'true, false or "choice"',
    absent: false,
    parse: (text) => (text === 'choice' ? text : text === 'true'),
    accepts: (value) => typeof value === 'boolean' || value === 'choice',
  },
  signing_algs: listOf<SigningAlg>({
    variable: `a list of ${SIGNING_ALGS.join(', ')}, separated by commas`,
    option: `an array of ${SIGNING_ALGS.join(', ')}`,
    isEntry: isSigningAlg,
    split: (text) => {
      const given = splitAtCommas(text) as readonly SigningAlg[]
      // Discovery has them in one order.
      return [
        ...SIGNING_ALGS.filter((alg) => given.includes(alg)),
        ...given.filter((alg) => !isSigningAlg(alg)),
      ]
    },
  }),
  account_fields: ACCOUNT_FIELDS,
  scope_texts: SCOPE_TEXTS,
  scope_claims: SCOPE_CLAIMS,
  self_registered_scopes: listOf({
    variable: 'scope names (RFC 6749 §3.3) without those of the admin API, separated by spaces',
    option: 'an array of scope names (RFC 6749 §3.3) without those of the admin API',
    isEntry: (name) => isScopeToken(name) && !isAdminScope(name),
    split: scopeNames,
  }),
  client_id_metadata: CLIENT_HOSTS,
  client_id_metadata_deny: HOST_NAMES,
  webfinger_hosts: listOf({
    variable: 'a list of hosts, such as example.com, separated by commas',
    option: 'an array of hosts, such as "example.com"',
    isEntry: isHost,
    split: splitAtCommas,
  }),
  forward_auth_clients: listOf({
    variable: 'a list of client ids, separated by commas',
    option: 'an array of client ids without commas',
    isEntry: (id) => /^[\x21-\x2B\x2D-\x7E]{1,255}$/.test(id),
    split: splitAtCommas,
  }),
  issuer_private_hosts: listOf({
    variable: 'a list of hosts, such as kubernetes.default.svc, separated by commas',
    option: 'an array of hosts, such as "kubernetes.default.svc" and "idp.internal:8443"',
    isEntry: isHost,
    split: splitAtCommas,
  }),
  client_certificate_proxies: listOf({
    variable: 'addresses and CIDR blocks such as 10.0.0.0/8, separated by commas',
    option: 'an array of addresses and CIDR blocks such as "10.0.0.0/8"',
    isEntry: isProxy,
    split: splitAtCommas,
  }),
  key_encryption_key: {
    variable: '32 bytes in base64',
    option: '32 bytes, a Buffer or Uint8Array',
    parse: (text) => Buffer.from(text, 'base64'),
    accepts: (value) => value instanceof Uint8Array && value.length === 32,
  },
}

/** Whether a name is one of an algorithm that signs. */
export function isSigningAlg(name: string): name is SigningAlg {
  return SIGNING_ALGS.some((alg) => alg === name)
}

function isHost(host: string): boolean {
  return isUrl(`https://${host}`) && new URL(`https://${host}`).host === host
}

// A block of all addresses is refused: every sender could forge the logged address.
function isProxy(entry: string): boolean {
  const [, address = '', length = '1'] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(entry) ?? []
  const bits = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  return Number(length) <= bits
}
