import { isUrl } from '../../core/uri.ts'

const URI_CHARACTERS = /^https:\/\/(?:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

/**
 * Whether a client_id is the URL of a metadata document (draft-ietf-oauth-client-id-metadata-document-02 §3): https,
 * with a path, without user name, fragment and dot segments. It must be written as a URL parser writes it, so that one
 * document has one client_id and the host on the consent page is the host that is asked.
 */
export function isClientIdUrl(client_id: string): boolean {
  if (!URI_CHARACTERS.test(client_id) || !isUrl(client_id)) return false
  const { href, hostname, username } = new URL(client_id)
  // A name with a dot at its end is another spelling of the same host.
  return href === client_id && username === '' && !hostname.endsWith('.')
}

/** Whether a host name is in a list of names, `*.example.com` being all names below example.com. */
export function isHostIn(hostname: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host))
}
