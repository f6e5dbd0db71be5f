import { type Certificate, isInForce, readCertificate } from './certificate.ts'

/** The certificate of a client that the proxy passed on, and whether the proxy verified who issued it. */
export interface ClientCertificate extends Certificate {
  readonly verified: boolean
}

/** The client certificate of a request; or the reason for the log why there is none. */
export type Presented =
  | { readonly ok: true; readonly certificate: ClientCertificate }
  | { readonly ok: false; readonly reason: string }

/** The headers of the proxy; a header that occurs twice has both values, with a comma between them. */
export interface CertificateHeaders {
  /** `Client-Cert` (RFC 9440 §2.2): a byte sequence (RFC 8941 §3.3.5). */
  readonly client_cert: string | undefined
  /** `Client-Cert-Verified`: `?1` (RFC 8941 §3.3.6) if the proxy verified the chain. */
  readonly verified: string | undefined
}

// RFC 8941 §3.3.5, and RFC 4648 §3.5: each certificate has one encoding.
const BYTE_SEQUENCE =
  /^:((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?):$/
/** The limit of Node for all headers of a request together. */
const MAX_LENGTH = 16_384
const TRUE = '?1'

/**
 * Reads the client certificate of a request. A certificate outside its validity period is refused.
 * @param now milliseconds since 1970
 */
export function readClientCertificate({ client_cert, verified }: CertificateHeaders, now: number): Presented {
  if (client_cert === undefined) return { ok: false, reason: 'no client certificate' }
  if (client_cert.length > MAX_LENGTH) return { ok: false, reason: 'the header Client-Cert is too long' }
  const base64 = BYTE_SEQUENCE.exec(client_cert)?.[1]
  if (base64 === undefined) return { ok: false, reason: 'the header Client-Cert is not a byte sequence' }
  const certificate = readCertificate(Buffer.from(base64, 'base64'))
  if (certificate === undefined)
    return { ok: false, reason: 'the header Client-Cert has no certificate in DER' }
  if (!isInForce(certificate, now)) {
    return { ok: false, reason: 'the client certificate has expired, or is not valid yet' }
  }
  return { ok: true, certificate: { ...certificate, verified: verified === TRUE } }
}
