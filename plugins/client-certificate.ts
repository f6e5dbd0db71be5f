import { hash, timingSafeEqual } from 'node:crypto'
import fp from 'fastify-plugin'
import { type Presented, readClientCertificate } from '../src/certificates/client-certificate.ts'
import type { Settings } from '../src/config/settings.ts'
import { refusedCertificateHeader } from '../src/core/client-errors.ts'
import { strippedPath } from '../src/core/paths.ts'
import type { ApiRequest } from '../src/resource-server/presented-token.ts'
import { trustOf } from './address.ts'

interface Source {
  readonly settings: Pick<Settings, 'client_certificate_proxies' | 'client_certificate_secret'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

interface OriginSource {
  readonly settings: Source['settings'] & Pick<Settings, 'issuer' | 'mtls_origin' | 'proxy_strips_path'>
}

/** What only the proxy may send (RFC 9440 §2.2); HTTP has no header for the other two. */
const CERTIFICATE = 'client-cert'
const VERIFIED = 'client-cert-verified'
const SECRET = 'client-cert-secret'

/** Returns what reads the certificate of a request: none unless the request comes from the proxy that asks for it. */
export function certificateReader(source: Source): (request: ApiRequest) => Presented {
  const problemOf = senderCheck(source.settings)
  return (request) => {
    const reason = problemOf(request)
    if (reason !== undefined) return { ok: false, reason }
    const { headers } = request
    return readClientCertificate(
      { client_cert: textOf(headers[CERTIFICATE]), verified: textOf(headers[VERIFIED]) },
      source.now(),
    )
  }
}

/** Returns what reads the thumbprint of the certificate of a request; undefined if there is none (RFC 8705 §3.1). */
export function thumbprintReader(source: Source): (request: ApiRequest) => string | undefined {
  const read = certificateReader(source)
  return (request) => {
    const presented = read(request)
    return presented.ok ? presented.certificate.thumbprint : undefined
  }
}

/**
 * Returns what finds the origin at which a client sent its request: that of the endpoint aliases (RFC 8705 §5) if the
 * request comes from the proxy that asks for certificates there, with a certificate or without one; else that of the
 * issuer. The part of the path that the proxy removes follows it, so that the path of the request completes the URL.
 */
export function originReader({ settings }: OriginSource): (request: ApiRequest) => string {
  const { mtls_origin } = settings
  const stripped = strippedPath(settings)
  const base = new URL(settings.issuer).origin + stripped
  const problemOf = proxyCheck(settings)
  if (mtls_origin === undefined || problemOf === undefined) return () => base
  // Only the secret proves it: anybody can send a Host.
  return (request) => (problemOf(request) === undefined ? mtls_origin + stripped : base)
}

/**
 * Refuses requests that have the headers of the proxy and do not come from it. Without them it would be safe to ignore
 * the headers, but a proxy that passes them on from its clients would then go unnoticed.
 */
export default fp(
  async (fastify) => {
    const { settings } = fastify.redmint
    if (settings.client_certificate_secret === undefined) return
    const problemOf = senderCheck(settings)
    fastify.addHook('onRequest', async (request) => {
      const reason = problemOf(request)
      if (reason !== undefined) throw refusedCertificateHeader(reason)
    })
  },
  { name: 'redmint-client-certificate', dependencies: ['redmint-context'] },
)

/** Returns the check who sent the headers of a request: undefined for the proxy or without them, or why not. */
function senderCheck(settings: Source['settings']) {
  const problemOf = proxyCheck(settings)
  if (problemOf === undefined) return () => 'client certificates are off'
  return (request: ApiRequest): string | undefined => {
    const { headers } = request
    return headers[CERTIFICATE] === undefined && headers[VERIFIED] === undefined
      ? undefined
      : problemOf(request)
  }
}

/**
 * Returns the check whether a request comes from the proxy that asks for certificates: undefined if so, or why not.
 * Returns undefined if client certificates are off.
 */
function proxyCheck({ client_certificate_proxies, client_certificate_secret }: Source['settings']) {
  if (client_certificate_secret === undefined) return undefined
  const isTrusted = trustOf(client_certificate_proxies)
  const expected = digestOf(client_certificate_secret)
  return ({ socket, headers }: ApiRequest): string | undefined => {
    // The peer itself: X-Forwarded-For says for whom it asks.
    const remoteAddress = addressOf(socket)
    if (!isTrusted(remoteAddress)) return `${remoteAddress} is not in TRUSTED_PROXIES`
    const secret = textOf(headers[SECRET])
    if (secret === undefined) return 'the header Client-Cert-Secret is missing'
    return timingSafeEqual(digestOf(secret), expected) ? undefined : 'the header Client-Cert-Secret is wrong'
  }
}

function addressOf(socket: object | undefined): string {
  const address: unknown =
    socket !== undefined && 'remoteAddress' in socket ? socket.remoteAddress : undefined
  return typeof address === 'string' ? address : 'a peer without address'
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

// Node joins the values of a header that it does not know, and of one that is given twice.
function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ')
}
