import {
  comesAfter,
  cursorAfter,
  entryBefore,
  type ListedEntry,
  type Listing,
  type ListKey,
  type ListPage,
  type Lists,
} from '../lists.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Base } from './gate.ts'
import { wellFormed } from './text.ts'

/** The lists in memory: for each the entries and their ends. */
export class MemoryLists implements Lists {
  readonly #base: Base
  readonly #lists = new Map<string, ExpiringMap<true>>()

  constructor(base: Base) {
    this.#base = base
  }

  async page(
    key: ListKey,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<ListPage> {
    this.#base.gate.pass()
    const before = after === undefined ? undefined : entryBefore(after)
    const all = this.#entries(key).sort((one, other) => (comesAfter(one, other) ? 1 : -1))
    const rest = before === undefined ? all : all.filter((entry) => comesAfter(entry, before))
    const entries = rest.slice(0, limit)
    const last = entries.at(-1)
    return { entries, next: rest.length > limit && last !== undefined ? cursorAfter(last) : undefined }
  }

  async count(key: ListKey): Promise<number> {
    this.#base.gate.pass()
    return this.#entries(key).length
  }

  async among(key: ListKey, ids: readonly string[]): Promise<string[]> {
    this.#base.gate.pass()
    return ids.filter((id) => this.#lists.get(nameOf(key))?.get(wellFormed(id)))
  }

  async add(...listings: readonly Listing[]): Promise<number> {
    this.#base.gate.pass()
    const missing = listings.filter(
      ({ id, ...key }) => this.#lists.get(nameOf(key))?.get(wellFormed(id)) === undefined,
    )
    this.join(listings.filter((listing) => !listing.is_guess || missing.includes(listing)))
    return missing.length
  }

  async remove(key: ListKey, ...ids: readonly string[]): Promise<void> {
    this.#base.gate.pass()
    const list = this.#lists.get(nameOf(key))
    for (const id of ids) list?.take(wellFormed(id))
    if (list?.size === 0) this.#lists.delete(nameOf(key))
  }

  /** Adds entries in the same step as their records. */
  join(listings: readonly Listing[]): void {
    for (const { id, until, ...key } of listings) {
      const list = this.#lists.get(nameOf(key)) ?? new ExpiringMap<true>(this.#base.now)
      this.#lists.set(nameOf(key), list)
      list.set(wellFormed(id), true, until)
    }
  }

  /** Changes when entries end that are there. */
  move(listings: readonly Listing[]): void {
    for (const { id, until, ...key } of listings) {
      const list = this.#lists.get(nameOf(key))
      if (list?.get(wellFormed(id))) list.set(wellFormed(id), true, until)
    }
  }

  #entries(key: ListKey): ListedEntry[] {
    const list = this.#lists.get(nameOf(key))
    if (list === undefined) return []
    return [...list.entries()].map(([id]) => ({ id, until: list.expires(id) ?? 0 }))
  }
}

const nameOf = ({ list, owner }: ListKey) => `${list}:${wellFormed(owner)}`
