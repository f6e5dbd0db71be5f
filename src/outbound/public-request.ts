import { lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction, connect as tcpConnect } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as tlsConnect } from 'node:tls'
import { fetchSpan, traceHeaders } from '../core/spans.ts'
import { isLoopbackAddress } from '../core/uri.ts'
import { CountedConnection } from './counted-connection.ts'
import { dnsLookup } from './dns-lookup.ts'
import { isPublicAddress } from './public-address.ts'

// Milliseconds, from the DNS lookup to the end of what is read of the response.
const TIMEOUT = 5_000

// SSL_OP_NO_RENEGOTIATION of OpenSSL, which Node does not name.
const NO_RENEGOTIATION = 2 ** 30

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const

/** The code of the error if an address may not be reached. */
export const NOT_PUBLIC = 'ENOTPUBLIC'

/** The code of the error if the time is over. */
export const TIMED_OUT = 'ETIMEDOUT'

/** The code of the error if the host sent an interim response: none is asked for (RFC 9110 §15.2). */
export const INTERIM = 'EINTERIM'

/** How many octets a host may send besides a body: the handshake with its certificates, headers and framing. */
export const MAX_ENVELOPE = 64 * 1024

/** Where a request to another host may go. */
export interface PublicRequestOptions {
  /** Whether private addresses are allowed; `loopback`: only those of this machine. */
  readonly allow_private: boolean | 'loopback'
  /** Resolves a host name; by default by DNS alone, and by the system's resolver where private addresses are allowed. */
  readonly lookup?: LookupFunction
  /** Milliseconds for the whole attempt. */
  readonly timeout?: number
  /** A certificate to trust instead of those of the system, in PEM; for tests. */
  readonly ca?: string
}

/** A request to another host. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string | number>>
  readonly body?: string | Uint8Array
  /** How many octets of the body of the response are of use. */
  readonly max_response: number
}

/**
 * Sends a request, but not to a private network: it connects to the address that it checked, and does not follow
 * redirects. Returns what `read` makes of the response; then the connection is closed. It is closed before if the host
 * sends an interim response, or more octets than the response may have.
 * @throws an error with a `code`: NOT_PUBLIC, TIMED_OUT, TOO_LONG, INTERIM, or that of the connection; any error of `read`
 */
export function requestPublicly<T>(
  url: URL,
  request: OutboundRequest,
  options: PublicRequestOptions,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  return fetchSpan(request.method, url, () => requestOnce(url, request, options, read))
}

async function requestOnce<T>(
  url: URL,
  request: OutboundRequest,
  { allow_private, lookup = lookupFor(allow_private), timeout = TIMEOUT, ca }: PublicRequestOptions,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const mayReach = reachable(allow_private)
  const host = bareHost(url.hostname)
  // An address in the URL itself is not resolved.
  if (isIP(host) !== 0 && !mayReach(host)) throw notPublic()
  const socket = tcpConnect({ host, port: portOf(url), lookup: checked(lookup, mayReach) })
  const connection = new CountedConnection(socket, MAX_ENVELOPE + request.max_response)
  const timer = setTimeout(() => connection.destroy(failure(TIMED_OUT, 'the time is over')), timeout)
  try {
    const headers = { ...request.headers, ...traceHeaders() }
    const response = await send(url, { ...request, headers }, secured(url, connection, ca))
    try {
      return await read(response)
    } finally {
      response.destroy()
    }
  } catch (error) {
    // Of the connection, and not what TLS or the parser make of its end.
    throw connection.errored ?? error
  } finally {
    clearTimeout(timer)
    connection.destroy()
  }
}

// RFC 3986 §3.2.2: an IPv6 address has brackets in a URL.
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? DEFAULT_PORTS[protocol as keyof typeof DEFAULT_PORTS] : Number(port)
}

function reachable(allow_private: PublicRequestOptions['allow_private']): (address: string) => boolean {
  if (allow_private === true) return () => true
  if (!allow_private) return isPublicAddress
  return (address) => isPublicAddress(address) || isLoopbackAddress(address)
}

// Names of this network, such as localhost, are not in DNS.
function lookupFor(allow_private: PublicRequestOptions['allow_private']): LookupFunction {
  return allow_private === false ? dnsLookup : systemLookup
}

/** Wraps a lookup: it fails unless all addresses of the name may be reached. */
function checked(lookup: LookupFunction, mayReach: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const refused = error ?? (addresses.every(mayReach) ? null : notPublic())
      if (refused) callback(refused, [])
      else callback(null, found, family)
    })
  }
}

function notPublic(): NodeJS.ErrnoException {
  return failure(NOT_PUBLIC, 'the host has an address that is not public')
}

function failure(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code })
}

function send(
  url: URL,
  { method, headers, body }: OutboundRequest,
  connection: Duplex,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    // A new connection: the address of a reused one was not checked.
    const sending = request(url, { method, headers, createConnection: () => connection })
    // The first one ends it: a host could send them without end, and Node would read each of them.
    sending.on('information', () => {
      sending.destroy(failure(INTERIM, 'an interim response was not asked for'))
    })
    sending.on('response', resolve)
    sending.on('error', reject)
    sending.on('close', () => reject(new Error('the connection was closed without an answer')))
    sending.end(body)
  })
}

/** The connection as HTTP reads it, with TLS if the URL wants it. */
function secured({ protocol, hostname }: URL, connection: CountedConnection, ca?: string): CountedConnection {
  if (protocol !== 'https:') return connection
  const host = bareHost(hostname)
  const secure = tlsConnect({
    socket: connection,
    host,
    // RFC 6066 §3: a name, not an address.
    servername: isIP(host) === 0 ? host : '',
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    // A handshake costs much more than its octets.
    secureOptions: NO_RENEGOTIATION,
    ...(ca && { ca }),
  })
  // What TLS reads in one record comes in small pieces, too.
  return new CountedConnection(secure, Number.POSITIVE_INFINITY)
}
