import { hash, X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import type { ApiRequest } from './presented-token.ts'

/** Returns the client certificate of a request: PEM, DER or, if only that is known, its SHA-256 thumbprint in base64url. */
export type CertificateOf = (request: ApiRequest) => string | Uint8Array | undefined

// `x5t#S256` (RFC 8705 §3.1): the last character has four bits.
const THUMBPRINT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

/**
 * Returns the client certificate of the connection, in DER, if this process terminates TLS and asked for one. Its key is
 * that of the connection; who issued it does not matter (RFC 8705 §3).
 */
export function certificateOfSocket({ socket }: ApiRequest): Uint8Array | undefined {
  return socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.raw : undefined
}

/** Returns the SHA-256 thumbprint of a certificate (RFC 8705 §3.1), or undefined if it is not one. */
export function thumbprintOf(certificate: string | Uint8Array | undefined): string | undefined {
  if (certificate === undefined) return undefined
  if (typeof certificate === 'string' && THUMBPRINT.test(certificate)) return certificate
  try {
    return hash('sha256', new X509Certificate(certificate).raw, 'base64url')
  } catch {
    return undefined
  }
}
