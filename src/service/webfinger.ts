import { type Static, Type } from '@sinclair/typebox'
import type { Settings } from '../config/settings.ts'
import { invalidRequest } from '../core/errors.ts'
import { isUrl } from '../core/uri.ts'

// OpenID Connect Discovery §2.
const ISSUER_REL = 'http://openid.net/specs/connect/1.0/issuer'
// RFC 7565 §7: the user part has no @. The host is read as that of a URL.
const ACCOUNT = /^acct:[A-Za-z0-9\-._~!$&'()*+,;=%]+@([^@/?#\\]+)$/i
// A URL parser drops or repairs other characters.
const VISIBLE = /^[\x21-\x7E]+$/

/** A JSON resource descriptor (RFC 7033 §4.4). */
export const WebFinger = Type.Object(
  {
    subject: Type.String(),
    links: Type.Array(Type.Object({ rel: Type.String(), href: Type.String({ format: 'uri' }) })),
  },
  { $id: 'redmint:WebFinger', description: 'Where to sign in as a user (RFC 7033 §4.4)' },
)
export type WebFinger = Static<typeof WebFinger>

/**
 * Answers a WebFinger query (RFC 7033 §4.2, OpenID Connect Discovery §2): the issuer for every address of these hosts,
 * whether it exists or not. Returns undefined for any other resource.
 * @throws OAuthError `invalid_request` without one well-formed resource
 */
export function findIssuer(
  { issuer, webfinger_hosts }: Pick<Settings, 'issuer' | 'webfinger_hosts'>,
  query: string,
): WebFinger | undefined {
  const parameters = new URLSearchParams(query)
  const [subject, ...others] = parameters.getAll('resource')
  if (subject === undefined || others.length > 0)
    throw invalidRequest('webfinger_resource', 'The query must have the parameter resource, once.', {
      received: { resources: others.length + (subject === undefined ? 0 : 1) },
      expected: { resources: 1 },
    })
  const host = hostOf(subject)
  if (host === undefined || !webfinger_hosts.includes(host)) return undefined
  // RFC 7033 §4.3: rel may be repeated, and chooses among the links.
  const rels = parameters.getAll('rel')
  const is_wanted = rels.length === 0 || rels.includes(ISSUER_REL)
  return { subject, links: is_wanted ? [{ rel: ISSUER_REL, href: issuer }] : [] }
}

/** Returns the host of an account or https URL, with a port that is not 443; undefined for URIs of other schemes. */
function hostOf(resource: string): string | undefined {
  const [, host] = ACCOUNT.exec(resource) ?? []
  const url = host === undefined ? resource : `https://${host}`
  const is_uri = VISIBLE.test(resource) && isUrl(resource)
  if (is_uri && /^https:\/\//i.test(url) && isUrl(url)) return new URL(url).host
  if (is_uri && !/^(?:acct|https):/i.test(resource)) return undefined
  throw invalidRequest(
    'webfinger_resource',
    'The resource must be a URI with a host, such as acct:alice@example.com',
    { expected: { schemes: ['acct', 'https'] } },
  )
}
