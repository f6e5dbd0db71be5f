import { lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

// Milliseconds, from the look-up of the name to the status of the answer.
const TIMEOUT = 5_000
const NOT_PUBLIC = 'ENOTPUBLIC'

export interface PublicPostOptions {
  /** Whether it may go to private addresses. */
  readonly allow_private: boolean
  /** Finds the addresses of a name; the system's own where it is left out. */
  readonly lookup?: LookupFunction
  /** Milliseconds for all of it. */
  readonly timeout?: number
}

/**
 * Posts a form to where a client said, and never to a private network: the address that is connected to is the one that
 * was checked, and no redirect is followed.
 * @returns the status of the answer, or the code of the error that kept it away.
 */
export async function postPublicly(
  uri: string,
  form: string,
  { allow_private, lookup = systemLookup, timeout = TIMEOUT }: PublicPostOptions,
): Promise<number | string> {
  const url = new URL(uri)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An address that stands in the URL itself is not looked up.
  if (!allow_private && isIP(host) !== 0 && !isPublicAddress(host)) return NOT_PUBLIC
  const giveUp = new AbortController()
  const { signal } = giveUp
  const timer = setTimeout(() => giveUp.abort(), timeout)
  try {
    return await send(url, form, { signal, lookup: allow_private ? lookup : publicOnly(lookup) })
  } catch (error) {
    if (signal.aborted) return 'ETIMEDOUT'
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  } finally {
    clearTimeout(timer)
  }
}

/** Takes a name whose addresses are not all public for one that nobody may connect to. */
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
  return Object.assign(new Error('the name leads to an address that is not public'), { code: NOT_PUBLIC })
}

function send(url: URL, form: string, options: RequestOptions): Promise<number> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      ...options,
      method: 'POST',
      // A connection of its own, that nobody else's request opened.
      agent: false,
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      rejectUnauthorized: true,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(form),
        'cache-control': 'no-store',
      },
    })
    sending.on('response', (response) => {
      resolve(response.statusCode ?? 0)
      // Nothing of the body counts, however long it is.
      response.destroy()
    })
    sending.on('error', reject)
    sending.on('close', () => reject(new Error('the connection was closed without an answer')))
    sending.end(form)
  })
}
