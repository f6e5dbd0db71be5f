import { lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackAddress } from '../core/uri.ts'
import { dnsLookup } from './dns-lookup.ts'
import { isPublicAddress } from './public-address.ts'

// Milliseconds, from the DNS lookup to the end of what is read of the response.
const TIMEOUT = 5_000

/** The code of the error if an address may not be reached. */
export const NOT_PUBLIC = 'ENOTPUBLIC'

/** The code of the error if the time is over. */
export const TIMED_OUT = 'ETIMEDOUT'

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
  readonly body?: string
}

/**
 * Sends a request, but not to a private network: it connects to the address that it checked, and does not follow
 * redirects. Returns what `read` makes of the response; then the connection is closed.
 * @throws an error with a `code`: NOT_PUBLIC, TIMED_OUT, or that of the connection; any error of `read`
 */
export async function requestPublicly<T>(
  url: URL,
  request: OutboundRequest,
  { allow_private, lookup = lookupFor(allow_private), timeout = TIMEOUT, ca }: PublicRequestOptions,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const mayReach = reachable(allow_private)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An address in the URL itself is not resolved.
  if (isIP(host) !== 0 && !mayReach(host)) throw notPublic()
  const aborter = new AbortController()
  const { signal } = aborter
  const timer = setTimeout(() => aborter.abort(), timeout)
  try {
    const response = await send(url, request, {
      signal,
      lookup: checked(lookup, mayReach),
      ...(ca && { ca }),
    })
    try {
      return await read(response)
    } finally {
      response.destroy()
    }
  } catch (error) {
    throw signal.aborted ? failure(TIMED_OUT, 'the time is over') : error
  } finally {
    clearTimeout(timer)
  }
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

function send(url: URL, { method, headers, body }: OutboundRequest, options: RequestOptions) {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sending = request(url, {
      ...options,
      method,
      headers,
      // A new connection: the address of a reused one was not checked.
      agent: false,
      // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
    })
    sending.on('response', resolve)
    sending.on('error', reject)
    sending.on('close', () => reject(new Error('the connection was closed without an answer')))
    sending.end(body)
  })
}
