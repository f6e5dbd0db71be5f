import { isIPv6 } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { addressIn } from '../src/core/address.ts'

/** The part of an IPv6 address that names a network; one host can use all addresses of it (RFC 4291 §2.5.1). */
const NETWORK_BITS = 64

const ADDRESS = Symbol('address')

/** A request, with its client's address as soon as something asked for it: most requests are asked twice. */
type Addressed = Pick<FastifyRequest, 'ips'> & { ip: string | undefined; [ADDRESS]?: string }

/** Whether an address, or an entry of X-Forwarded-For, is that of a trusted proxy. */
export type IsTrusted = (entry: string) => boolean

/** Returns the check for some addresses and CIDR blocks. */
export function trustOf(proxies: readonly string[]): IsTrusted {
  const includes = compile([...proxies])
  return (entry) => {
    const address = addressIn(entry)
    return address !== undefined && includes(address, 0)
  }
}

/**
 * Returns the address of the client: the last one in X-Forwarded-For that is not a trusted proxy's. If that entry is
 * not an address, returns the address of the proxy that wrote it, so that a client cannot pass for others by texts of
 * its choice. Empty without a connection.
 */
export function clientAddress(request: Addressed): string {
  request[ADDRESS] ??= addressOf(request)
  return request[ADDRESS]
}

function addressOf(request: Addressed): string {
  const entries: readonly (string | undefined)[] = request.ips ?? [request.ip]
  for (let i = entries.length - 1; i >= 0; i--) {
    const address = addressIn(entries[i] ?? '')
    if (address !== undefined) return address
  }
  return ''
}

/** Returns the network of the client. */
export const clientNetwork = (request: FastifyRequest): string => networkOf(clientAddress(request))

/** Returns what counts as one address: an IPv6 network counts as one, because one host can use all its addresses. */
export function networkOf(address: string): string {
  // Most addresses are told apart without the long pattern of isIPv6.
  if (!address.includes(':') || !isIPv6(address)) return address
  const { IPv6 } = ipaddr
  const parsed = IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return IPv6.networkAddressFromCIDR(`${address}/${NETWORK_BITS}`).toString()
}
