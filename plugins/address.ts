import { compile } from '@fastify/proxy-addr'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { addressIn } from '../src/core/address.ts'

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
 * Returns the address of the client: the last one in X-Forwarded-For that is not a trusted proxy's. If that entry is no
 * address, the address of the proxy that wrote it: text that a client chooses must not make it another client.
 * Empty without a connection.
 */
export function clientAddress({ ip, ips }: Pick<FastifyRequest, 'ips'> & { ip: string | undefined }): string {
  const known = (ips ?? [ip]).map((entry) => addressIn(entry ?? ''))
  return known.findLast((address) => address !== undefined) ?? ''
}

/** Returns what counts as one address: an IPv6 network counts as one, because one host can use all its addresses. */
export function networkOf(address: string): string {
  return address === '' ? '' : normalizeIP(address)
}
