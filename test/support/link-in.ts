import { type Link, readLink } from '../../src/core/link.ts'

/** Returns the link in the address of a page; the test fails if there is none. */
export function linkIn(url = 'none:'): Link {
  const link = readLink(new URL(url, 'https://auth.example').searchParams.get('link') ?? '')
  if (link === undefined) throw new Error(`no link in ${url}`)
  return link
}
