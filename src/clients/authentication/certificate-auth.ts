import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AlternativeNames } from '../../certificates/certificate.ts'
import type { ClientCertificate } from '../../certificates/client-certificate.ts'
import { isSameName, parseDistinguishedName } from '../../certificates/distinguished-name.ts'
import type { KeysFault } from '../../core/client-errors.ts'
import { present } from '../../core/present.ts'
import { type ClientKeys, findOwnKey } from '../keys/client-keys.ts'
import type { Client } from '../record/client-record.ts'

/** The dependencies of checkCertificate. */
export interface CertificateContext {
  readonly client_keys: Pick<ClientKeys, 'findCertified'>
}

/** Whether a certificate is that of a client; or the reason for the log why it is not. */
export type CertificateCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly away?: KeysFault }

/**
 * Checks that a certificate is that of a client, by its authentication method (RFC 8705 §2).
 * @throws OAuthError `temporarily_unavailable` as findOwnKey
 */
export async function checkCertificate(
  { client_keys }: CertificateContext,
  client: Client,
  certificate: ClientCertificate,
): Promise<CertificateCheck> {
  if (client.token_endpoint_auth_method === 'self_signed_tls_client_auth') {
    const found = client_keys.findCertified(client, certificate)
    // Who sends a certificate has its key.
    const key = await findOwnKey(client, found, () => true, 'the client certificate has another key')
    return 'problem' in key
      ? { ok: false, reason: key.problem, ...present({ away: key.away }) }
      : { ok: true }
  }
  // RFC 8705 §2.1: without a chain to an authority that the proxy trusts, anybody could issue one with this name.
  if (!certificate.verified) return { ok: false, reason: 'the proxy did not verify the client certificate' }
  if (hasNameOf(client, certificate)) return { ok: true }
  return { ok: false, reason: 'the client certificate has another name' }
}

function hasNameOf(client: Client, { subject, names }: ClientCertificate): boolean {
  const { tls_client_auth_subject_dn: expected } = client
  if (expected === undefined) return hasAlternativeName(client, names)
  const name = parseDistinguishedName(expected)
  return typeof name !== 'string' && isSameName(name, subject)
}

function hasAlternativeName(client: Client, { dns, uri, email, ip }: AlternativeNames): boolean {
  const { tls_client_auth_san_dns, tls_client_auth_san_uri } = client
  const { tls_client_auth_san_email, tls_client_auth_san_ip } = client
  // RFC 5280 §7.2: host names are compared without regard to case.
  if (tls_client_auth_san_dns !== undefined) {
    return dns.some((name) => name.toLowerCase() === tls_client_auth_san_dns)
  }
  if (tls_client_auth_san_uri !== undefined) return uri.includes(tls_client_auth_san_uri)
  if (tls_client_auth_san_email !== undefined) return email.includes(tls_client_auth_san_email)
  if (tls_client_auth_san_ip === undefined) return false
  const address = octetsOf(tls_client_auth_san_ip)
  return ip.some((octets) => octets.equals(address))
}

function octetsOf(address: string): Buffer {
  const { IPv4, IPv6 } = ipaddr
  return Buffer.from((isIPv4(address) ? IPv4 : IPv6).parse(address).toByteArray())
}
