import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { FailureGroup } from '../storage/counters.ts'
import type { Storage } from '../storage/storage.ts'
import { type LockingCounter, noteLockout } from './lockouts.ts'

const COUNTERS = { device: 'device', pushed: 'pushing' } as const satisfies Partial<
  Record<FailureGroup, LockingCounter>
>

/** How many requests of public clients an address may send. */
export interface AddressLimit {
  readonly group: keyof typeof COUNTERS
  readonly max: number
  /** In seconds. */
  readonly window: number
}

/** An address sent too many requests. */
export interface Exceeded {
  /** The seconds until its next request is answered. */
  readonly retry_after: number
  /** Whether this is the first one beyond the limit: only that is an event, because anybody can repeat it. */
  readonly is_first: boolean
}

// RFC 6177 §2: one site may have an IPv6 network of 48 bits, with 65,536 of the networks that count as one address.
const SITE_BITS = 48
/** How many counters the addresses of one such network share. */
export const COUNTERS_OF_SITE = 10

/**
 * Counts a request that leaves records, for the address that sent it. Returns undefined up to the limit. The number of
 * counters is bounded, and so is the number of requests that they let pass; the IPv6 networks of one site share a few.
 * @param address an IPv4 address, or the network of an IPv6 address
 * @throws StorageUnavailable
 */
export async function countByAddress(
  storage: Pick<Storage, 'counters' | 'rosters'>,
  address: string,
  { group, max, window }: AddressLimit,
): Promise<Exceeded | undefined> {
  const name = hash('sha256', JSON.stringify([group, counterOf(address)]), 'hex')
  const { count, ends_in } = await storage.counters.countFailure(group, name, window * 1000)
  if (count <= max) return undefined
  const is_first = count === max + 1
  if (is_first) await noteLockout(storage, { group, name }, { counter: COUNTERS[group], address }, ends_in)
  return { retry_after: Math.max(1, Math.ceil(ends_in / 1000)), is_first }
}

/** Returns what the requests of an address are counted under: the IPv6 networks of one site share a few. */
export function counterOf(address: string): string {
  if (!isIPv6(address)) return address
  const site = siteOf(address)
  const share = hash('sha256', address, 'buffer').readUInt32BE() % COUNTERS_OF_SITE
  return `${site}/${share}`
}

/** Returns the network of the site that an IPv6 address is in. */
export function siteOf(address: string): string {
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${SITE_BITS}`).toString()
}
