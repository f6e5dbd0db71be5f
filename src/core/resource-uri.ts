// The characters of a URI without a fragment (RFC 3986 §2): a URL parser drops or repairs others.
import { isUrl } from './uri.ts'

const WITHOUT_FRAGMENT = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/

/**
 * Returns the normalised form of a resource identifier, or undefined if it is not an absolute URI without a fragment
 * (RFC 8707 §2). Two identifiers name one resource if their forms are equal: parsed as URLs, where an empty path is `/`
 * and no other part is dropped, because clients add and lose this slash.
 */
export function resourceKey(uri: string): string | undefined {
  if (!WITHOUT_FRAGMENT.test(uri) || !isUrl(uri)) return undefined
  const url = new URL(uri)
  // Parsing does this for https, but not for schemes that it does not know.
  if (url.pathname === '') url.pathname = '/'
  return url.href
}

/** Whether a token may be for the resources that a request names, of those that its grant names (RFC 8707 §2.2). */
export function isGrantedTarget(granted: string, asked: string): boolean {
  if (asked === '') return granted === ''
  const ids = granted.split(' ')
  return asked.split(' ').every((id) => ids.includes(id))
}

/**
 * Returns the id of the resource that a URI names: its normalised form, without the slash of an empty path. Undefined if
 * it is not an absolute URI without a fragment (RFC 8707 §2).
 */
export function resourceId(uri: string): string | undefined {
  const key = resourceKey(uri)
  return key !== undefined && isRoot(key) ? key.slice(0, -1) : key
}

/** The ids that an operator may have written by hand for a resource: with the slash of an empty path, too. */
export function writtenIds(id: string): readonly string[] {
  return isRoot(`${id}/`) ? [id, `${id}/`] : [id]
}

const isRoot = (key: string) => /^[a-z][a-z0-9+.-]*:\/\/[^/?]+\/$/.test(key)
