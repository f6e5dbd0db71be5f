import { invalidClient } from '../core/client-errors.ts'

/** User name and password of an HTTP Basic header, still form-encoded. */
export interface BasicCredentials {
  username: string
  password: string
}

// RFC 9110 §11.4: one space or more. Node's decoder skips unknown characters, and bits after the last byte; a secret
// must have only one encoding (RFC 4648 §3.5).
const BASIC =
  /^[Bb][Aa][Ss][Ii][Cc] +(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/

/**
 * Reads an Authorization header of the Basic scheme (RFC 7617 §2). Which characters user name and password may have is
 * checked when they are decoded.
 * @throws OAuthError `invalid_client` if it has another scheme, or is malformed
 */
export function readBasic(authorization: string): BasicCredentials {
  if (!BASIC.test(authorization)) throw invalidClient(malformation(authorization))
  const credentials = Buffer.from(
    authorization.slice(authorization.lastIndexOf(' ') + 1),
    'base64',
  ).toString()
  const colon = credentials.indexOf(':')
  if (colon === -1) throw invalidClient('the Basic credentials have no colon')
  return { username: credentials.slice(0, colon), password: credentials.slice(colon + 1) }
}

function malformation(authorization: string): string {
  return /^basic(?: |$)/i.test(authorization)
    ? 'the Basic credentials are not base64'
    : 'the scheme of the Authorization header is not Basic'
}
