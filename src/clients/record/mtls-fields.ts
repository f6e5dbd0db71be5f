import { isIP } from 'node:net'
import { parseDistinguishedName } from '../../certificates/distinguished-name.ts'
import { boolean, text } from '../../core/field-kinds.ts'
import type { FieldTable, RecordOf } from '../../core/field-table.ts'
import type { FieldReader } from '../../core/record-hash.ts'

/** The authentication methods by a client certificate (RFC 8705 §2). */
export const CERTIFICATE_METHODS = ['tls_client_auth', 'self_signed_tls_client_auth'] as const

/** The fields that say which certificate is that of a client with `tls_client_auth`: it has exactly one. */
export const SUBJECT_FIELDS = [
  'tls_client_auth_subject_dn',
  'tls_client_auth_san_dns',
  'tls_client_auth_san_uri',
  'tls_client_auth_san_ip',
  'tls_client_auth_san_email',
] as const

/** The fields of mutual TLS (RFC 8705 §2.1.2 and §3.4). */
export const MTLS_FIELDS = {
  tls_client_auth_subject_dn: text({
    label: 'Subject of its certificate',
    check: subjectProblem,
    flag: {
      group: 'authentication',
      value: 'name',
      help: '`tls_client_auth`: the subject of its certificate, such as `CN=billing,O=Example` (RFC 4514)',
      clear: 'accept no certificate by its subject',
    },
    docs: 'the whole subject of its certificate, as RFC 4514 writes it: `CN=billing,O=Example,C=DE`',
  }),
  tls_client_auth_san_dns: text({
    label: 'Host in its certificate',
    check: dnsProblem,
    flag: {
      group: 'authentication',
      value: 'name',
      help: '`tls_client_auth`: a `dNSName` of its certificate instead, such as `billing.example.com`',
      clear: 'accept no certificate by a dNSName',
    },
    docs: 'a `dNSName` of its certificate, in lower case',
  }),
  tls_client_auth_san_uri: text({
    label: 'URI in its certificate',
    check: uriProblem,
    flag: {
      group: 'authentication',
      value: 'uri',
      help: '`tls_client_auth`: a `uniformResourceIdentifier` instead, such as `spiffe://example.com/billing`',
      clear: 'accept no certificate by a URI',
    },
    docs: 'a `uniformResourceIdentifier` of its certificate',
  }),
  tls_client_auth_san_ip: text({
    label: 'IP address in its certificate',
    check: (value) => (isIP(value) === 0 || value.includes('%') ? 'is not an IP address' : undefined),
    flag: {
      group: 'authentication',
      value: 'address',
      help: '`tls_client_auth`: an `iPAddress` instead',
      clear: 'accept no certificate by an address',
    },
    docs: 'an `iPAddress` of its certificate, IPv4 or IPv6',
  }),
  tls_client_auth_san_email: text({
    label: 'E-mail address in its certificate',
    check: emailProblem,
    flag: {
      group: 'authentication',
      value: 'address',
      help: '`tls_client_auth`: an `rfc822Name` instead',
      clear: 'accept no certificate by an e-mail address',
    },
    docs: 'an `rfc822Name` of its certificate',
  }),
  /** Whether its tokens are bound to the certificate of the request that they came from (RFC 8705 §3.4). */
  tls_client_certificate_bound_access_tokens: boolean({
    label: 'Tokens bound to its certificate',
    flag: {
      group: 'authentication',
      value: 'boolean',
      help: '`true`: its tokens are bound to its client certificate',
    },
    docs: '`true`: its tokens are bound to its client certificate, so it gets none without one; default: `false`',
  }),
} satisfies FieldTable

type MtlsClient = Partial<RecordOf<typeof MTLS_FIELDS>> & {
  readonly token_endpoint_auth_method?: string
  readonly is_public?: boolean
}

/** Whether a certificate is the only credential of a client (RFC 8705 §2). */
export function usesCertificate({
  token_endpoint_auth_method,
}: {
  readonly token_endpoint_auth_method?: string | undefined
}): boolean {
  return CERTIFICATE_METHODS.some((method) => method === token_endpoint_auth_method)
}

// Any of these would be a second way to authenticate.
const OTHER_CREDENTIALS = ['client_secret_hash', 'old_secret_hash', 'assertion_issuer'] as const

/** Checks the fields of a client that depend on its authentication method (RFC 8705 §2). */
export function checkMutualTls(client: MtlsClient, fields: FieldReader): void {
  const subjects = SUBJECT_FIELDS.filter((field) => client[field] !== undefined)
  const method = client.token_endpoint_auth_method
  if (method === 'tls_client_auth') {
    // RFC 8705 §2.1.2: exactly one. A malformed one has its own problem.
    if (!SUBJECT_FIELDS.some((field) => fields.optional(field) !== undefined)) {
      fields.fail(
        'tls_client_auth_subject_dn',
        'is missing: tls_client_auth needs it, or one of the tls_client_auth_san fields',
      )
    }
    for (const field of subjects.slice(1)) {
      fields.fail(field, `must be absent, because there is ${subjects[0]}: a client has one of them`)
    }
  }
  if (
    method === 'self_signed_tls_client_auth' &&
    fields.optional('jwks') === undefined &&
    fields.optional('jwks_uri') === undefined
  ) {
    fields.fail('jwks', 'is missing: self_signed_tls_client_auth needs jwks or jwks_uri')
  }
  if (!usesCertificate(client)) return
  if (client.is_public)
    fields.fail('is_public', `must be false, because token_endpoint_auth_method is ${method}`)
  for (const field of OTHER_CREDENTIALS.filter((name) => fields.optional(name) !== undefined)) {
    fields.fail(field, `must be absent, because token_endpoint_auth_method is ${method}`)
  }
}

function subjectProblem(value: string): string | undefined {
  const name = parseDistinguishedName(value)
  return typeof name === 'string' ? name : undefined
}

// A certificate for *.example.com does not name one client.
function dnsProblem(value: string): string | undefined {
  return /^(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(value)
    ? undefined
    : 'is not a host name in lower case and without wildcard'
}

function uriProblem(value: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(value) ? undefined : 'is not an absolute URI'
}

function emailProblem(value: string): string | undefined {
  return /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(value)
    ? undefined
    : 'is not an e-mail address in ASCII'
}
