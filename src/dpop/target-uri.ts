// RFC 3986 §2, without userinfo, query and fragment. A URL parser drops or repairs other characters.
const HTTP_URI = /^https?:\/\/[A-Za-z0-9\-._~:[\]%]+(\/[A-Za-z0-9\-._~:/[\]@!$&'()*+,;=%]*)?$/i
const ENCODED = /%([0-9a-f]{2})/gi
const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * Returns the normalised form of a target URI without query and fragment (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3), or
 * undefined if it is no http or https URI.
 */
export function normalTarget(uri: string): string | undefined {
  // Browsers send some characters in a query that no URI has, such as braces.
  const [target = ''] = uri.split(/[?#]/, 1)
  if (!HTTP_URI.test(target) || !URL.canParse(target)) return undefined
  // Parsing changes the case of scheme and host, the dot segments, the default port and the empty path.
  const { origin, pathname } = new URL(target)
  return `${origin}${pathname.replace(ENCODED, normalOctet)}`
}

// RFC 3986 §6.2.2.1 and §6.2.2.2.
function normalOctet(encoded: string, digits: string): string {
  const character = String.fromCharCode(Number.parseInt(digits, 16))
  return UNRESERVED.test(character) ? character : encoded.toUpperCase()
}
