import { BlockList, isIP } from 'node:net'

// RFC 6890 and the IANA registries of special addresses.
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

// IPv6 prefixes that embed an IPv4 address (RFC 4291 §2.5.5.2, RFC 6052 §2.1).
const EMBEDDING = ['::ffff:', '64:ff9b::'] as const

// Parts of the global unicast space that are not public, or embed an IPv4 address (Teredo, 6to4).
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const special = new BlockList()
// Only these can be public, so not ::, ::1, fc00::/7, fe80::/10, ff00::/8 and unassigned space.
const possible = new BlockList()

for (const [network, bits] of SPECIAL_IPV4) {
  special.addSubnet(network, bits, 'ipv4')
  for (const prefix of EMBEDDING) special.addSubnet(`${prefix}${network}`, 96 + bits, 'ipv6')
}
for (const [network, bits] of SPECIAL_IPV6) special.addSubnet(network, bits, 'ipv6')
possible.addSubnet('0.0.0.0', 0, 'ipv4')
possible.addSubnet('2000::', 3, 'ipv6')
for (const prefix of EMBEDDING) possible.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6')

/** Whether a string is a public IP address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  // A zone names an interface of this machine.
  if (family === 0 || address.includes('%')) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  return possible.check(address, type) && !special.check(address, type)
}
