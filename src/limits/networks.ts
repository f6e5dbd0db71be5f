import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

// RFC 6177 §2: one site may have an IPv6 network of 48 bits, with 65,536 of the networks that count as one address.
const SITE_BITS = 48
/** How many counters the addresses of one such network share. */
export const COUNTERS_OF_SITE = 10

/** Returns the site of an address, an IPv4 address or the network of an IPv6 address: of IPv6 a network of 48 bits. */
export function siteOf(address: string): string {
  return isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${SITE_BITS}`)}` : address
}

/**
 * Returns what anything is counted under that is counted by address: the IPv6 networks of one site share a few counters, or
 * a stranger would have as many as wanted.
 */
export function counterOf(address: string): string {
  if (!isIPv6(address)) return address
  const share = hash('sha256', address, 'buffer').readUInt32BE() % COUNTERS_OF_SITE
  return `${siteOf(address)}/${share}`
}
