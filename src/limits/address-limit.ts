import { hash } from 'node:crypto'
import type { FailureGroup } from '../storage/counters.ts'
import type { Storage } from '../storage/storage.ts'
import { type LockingCounter, noteLockout } from './lockouts.ts'
import { counterOf } from './networks.ts'

const COUNTERS = { device: 'device', pushed: 'pushing' } as const satisfies Partial<
  Record<FailureGroup, LockingCounter>
>

/** How many requests of public clients an address may send. */
export interface AddressLimit {
  readonly group: keyof typeof COUNTERS
  readonly max: number
  /** In seconds. */
  readonly window: number
  /** As how many it counts, because it leaves as much as so many; absent: as one. */
  readonly weight?: number
}

/** An address sent too many requests. */
export interface Exceeded {
  /** The seconds until its next request is answered. */
  readonly retry_after: number
  /** Whether this is the first one beyond the limit: only that is an event, because anybody can repeat it. */
  readonly is_first: boolean
}

/**
 * Counts a request that leaves records, for the address that sent it. Returns undefined up to the limit. The number of
 * counters is bounded, and so is the number of requests that they let pass; the IPv6 networks of one site share a few.
 * @param address an IPv4 address, or the network of an IPv6 address
 * @throws StorageUnavailable
 */
export async function countByAddress(
  storage: Pick<Storage, 'counters' | 'bounded'>,
  address: string,
  { group, max, window, weight = 1 }: AddressLimit,
): Promise<Exceeded | undefined> {
  const name = hash('sha256', JSON.stringify([group, counterOf(address)]), 'hex')
  const { count, ends_in } = await storage.counters.countFailure(group, name, window * 1000, weight)
  if (count <= max) return undefined
  const is_first = count - weight <= max
  if (is_first) await noteLockout(storage, { group, name }, { counter: COUNTERS[group], address }, ends_in)
  return { retry_after: Math.max(1, Math.ceil(ends_in / 1000)), is_first }
}
