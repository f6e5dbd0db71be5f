import { siteOf } from '../limits/networks.ts'

/** Who waits. Entries of one site of the network, and of one user, which is opaque, share a part of the queue. */
export interface Asker {
  readonly address: string
  readonly user: string
  /** Somebody who proved something before, here or in this browser: strangers are not in the same queue. */
  readonly is_known?: boolean
}

/** How many entries may wait in all, of one address, and of one user. */
export interface QueueLimits {
  readonly all: number
  readonly per_address: number
  readonly per_user: number
}

/** A queue in which addresses take turns, and within an address its users. */
export class FairQueue<T> {
  readonly #limits: QueueLimits
  /** Entries by address, then by user. The first of each map is next in turn. */
  readonly #turns = new Map<string, Map<string, T[]>>()
  #length = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#length
  }

  /** Adds an entry. Returns false if the queue or the asker's part of it is full; without an asker there is no part. */
  add(entry: T, asker?: Asker): boolean {
    const { all, per_address, per_user } = this.#limits
    if (this.#length >= all) return false
    const { user } = asker ?? { user: '' }
    // A site has many addresses of IPv6, which would be as many turns.
    const address = siteOf(asker?.address ?? '')
    const users = this.#turns.get(address) ?? new Map<string, T[]>()
    if (asker !== undefined && (count(users) >= per_address || this.#countOf(user) >= per_user)) return false
    users.set(user, [...(users.get(user) ?? []), entry])
    this.#turns.set(address, users)
    this.#length += 1
    return true
  }

  /** Removes and returns the entry that is next in turn. */
  next(): T | undefined {
    for (const [address, users] of this.#turns) {
      for (const [user, [entry, ...rest]] of users) {
        this.#length -= 1
        toTheEnd(users, user, rest, rest.length)
        toTheEnd(this.#turns, address, users, users.size)
        return entry
      }
    }
    return undefined
  }

  #countOf(user: string): number {
    let waiting = 0
    for (const users of this.#turns.values()) waiting += users.get(user)?.length ?? 0
    return waiting
  }
}

function count(users: Map<string, unknown[]>): number {
  let waiting = 0
  for (const entries of users.values()) waiting += entries.length
  return waiting
}

function toTheEnd<V>(turns: Map<string, V>, key: string, value: V, size: number): void {
  turns.delete(key)
  if (size > 0) turns.set(key, value)
}
