import type { Client } from '../record/client-record.ts'
import { newRedirectUriProblem, redirectUriProblem } from '../record/redirect-uri.ts'

// The label and the host that it lies below, as a URL in its one spelling has them.
const PREVIEW = /^https:\/\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.([a-z0-9.-]+)(?=\/)/
// What follows the authority (RFC 3986 §3.2).
const PATH = /^https?:\/\/[^/?]+(.*)$/s

/**
 * Returns why a URI cannot be the redirect URI of a preview of a client, as text that completes "redirect_uri …"; undefined:
 * it can. It is https, one label below a host of the client, and otherwise as one of the redirect URIs of the client.
 */
export function previewUriProblem(
  { preview_hosts = [], redirect_uris }: Pick<Client, 'preview_hosts' | 'redirect_uris'>,
  uri: string,
): string | undefined {
  const problem = redirectUriProblem(uri) ?? newRedirectUriProblem(uri)
  if (problem !== undefined) return problem
  const [, label = '', host = ''] = PREVIEW.exec(uri) ?? []
  if (!preview_hosts.includes(host))
    return `must be https://<label>.<host>/…, with one label in lower case, no port, and a host of preview_hosts of the client: ${preview_hosts.join(' ')}`
  // It can look like another name.
  if (label.startsWith('xn--')) return 'has a label in Punycode'
  const path = pathOf(uri)
  return redirect_uris.some((registered) => pathOf(registered) === path)
    ? undefined
    : 'must have the path and the query of a redirect URI of the client'
}

/** Returns what is after the host of a web address; undefined for another address. */
export const pathOf = (uri: string): string | undefined => PATH.exec(uri)?.[1]

/** Returns the label of the redirect URI of a preview, such as `pr-12`. */
export const labelOf = (uri: string): string => PREVIEW.exec(uri)?.[1] ?? ''
