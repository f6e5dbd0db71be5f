import { Visitor } from '../visitor.ts'

/**
 * Returns a user agent with cookies and without a screen, which asks a service over HTTP.
 * @param address where the next request goes, if not to the issuer
 */
export function visitorAt(issuer: string, address: () => string = () => issuer): Visitor {
  return new Visitor(async ({ method, url, headers, body }) => {
    const form = body === undefined ? {} : { body }
    const answer = await fetch(address() + url, { method, headers, redirect: 'manual', ...form })
    const given = { ...Object.fromEntries(answer.headers), 'set-cookie': answer.headers.getSetCookie() }
    return { status: answer.status, headers: given, text: await answer.text() }
  }, issuer)
}
