import { lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

// Milliseconds, from the DNS lookup to the status of the response.
const TIMEOUT = 5_000
const NOT_PUBLIC = 'ENOTPUBLIC'

export interface PublicPostOptions {
  /** Whether private addresses are allowed. */
  readonly allow_private: boolean
  /** Resolves a host name; by default the system's resolver. */
  readonly lookup?: LookupFunction
  /** Milliseconds for the whole attempt. */
  readonly timeout?: number
}

/**
 * Posts a form to a URI of a client, but not to a private network: it connects to the address that it checked, and does
 * not follow redirects.
 * @returns the status of the response, or the code of the error
 */
export async function postPublicly(
  uri: string,
  form: string,
  { allow_private, lookup = systemLookup, timeout = TIMEOUT }: PublicPostOptions,
): Promise<number | string> {
  const url = new URL(uri)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An address in the URL itself is not resolved.
  if (!allow_private && isIP(host) !== 0 && !isPublicAddress(host)) return NOT_PUBLIC
  const aborter = new AbortController()
  const { signal } = aborter
  const timer = setTimeout(() => aborter.abort(), timeout)
  try {
    return await send(url, form, { signal, lookup: allow_private ? lookup : publicOnly(lookup) })
  } catch (error) {
    if (signal.aborted) return 'ETIMEDOUT'
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  } finally {
    clearTimeout(timer)
  }
}

/** Wraps a lookup: it fails unless all addresses of the name are public. */
function publicOnly(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const refused = error ?? (addresses.every(isPublicAddress) ? null : notPublic())
      if (refused) callback(refused, [])
      else callback(null, found, family)
    })
  }
}

function notPublic(): NodeJS.ErrnoException {
  return Object.assign(new Error('the name resolves to an address that is not public'), { code: NOT_PUBLIC })
}

function send(url: URL, form: string, options: RequestOptions): Promise<number> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      ...options,
      method: 'POST',
      // A new connection: the address of a reused one was not checked.
      agent: false,
      // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(form),
        'cache-control': 'no-store',
      },
    })
    sending.on('response', (response) => {
      resolve(response.statusCode ?? 0)
      // The body is ignored.
      response.destroy()
    })
    sending.on('error', reject)
    sending.on('close', () => reject(new Error('the connection was closed without an answer')))
    sending.end(form)
  })
}
