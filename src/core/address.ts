import { isIPv4, isIPv6 } from 'node:net'

// A port follows an IPv4 address, or an IPv6 address in brackets (RFC 3986 §3.2.2).
const WITH_PORT = /^(?:\[([^\][]+)\]|([\d.]+))(?::\d{1,5})?$/

/**
 * Returns the IP address of an entry of X-Forwarded-For, without the port and brackets that some gateways write, and
 * without the zone of an IPv6 address. Undefined if the entry is not an address.
 */
export function addressIn(entry: string): string | undefined {
  const [, bracketed, dotted] = WITH_PORT.exec(entry) ?? []
  if (dotted !== undefined) return isIPv4(dotted) ? dotted : undefined
  const [address = ''] = (bracketed ?? entry).split('%', 1)
  return isIPv6(address) ? address : undefined
}
