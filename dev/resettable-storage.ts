import type { Changes, Watcher } from '../src/storage/changes.ts'
import { MemoryStorage } from '../src/storage/memory/storage.ts'
import type { KindName } from '../src/storage/records.ts'
import type { Storage } from '../src/storage/storage.ts'

/** The parts that a reset empties. Keys stay: to make new ones takes longer than most tests. */
const EMPTIED = [
  'records',
  'families',
  'lists',
  'queue',
  'outboxes',
  'counters',
  'registrations',
  'sign_ins',
  'bounded',
  'evidence',
  'trail',
  'noted_jwts',
] as const
type Emptied = (typeof EMPTIED)[number]
type EmptiedParts = Pick<MemoryStorage, Emptied>

/** A call of a part of the storage, as it is made again. */
interface MadeCall {
  readonly part: Emptied
  readonly name: string
  readonly args: readonly unknown[]
}

type Parts = Readonly<Record<Emptied, object>>
type AnyCall = (...args: unknown[]) => unknown

/**
 * Storage in memory that goes back to the state in which it was when it was sealed: a reset puts an empty one in its
 * place, and makes the calls again that were made until then.
 */
export class ResettableStorage implements Storage, EmptiedParts {
  readonly description = 'memory'
  readonly tokens_at_rest = 'plain'
  declare readonly records: MemoryStorage['records']
  declare readonly families: MemoryStorage['families']
  declare readonly lists: MemoryStorage['lists']
  declare readonly queue: MemoryStorage['queue']
  declare readonly outboxes: MemoryStorage['outboxes']
  declare readonly counters: MemoryStorage['counters']
  declare readonly registrations: MemoryStorage['registrations']
  declare readonly sign_ins: MemoryStorage['sign_ins']
  declare readonly bounded: MemoryStorage['bounded']
  declare readonly evidence: MemoryStorage['evidence']
  declare readonly trail: MemoryStorage['trail']
  declare readonly noted_jwts: MemoryStorage['noted_jwts']
  readonly signing_keys: MemoryStorage['signing_keys']
  readonly sealing_keys: MemoryStorage['sealing_keys']
  readonly status_lists: MemoryStorage['status_lists']
  readonly changes: Changes
  readonly #now: () => number
  readonly #watching: { readonly kind: KindName; readonly watcher: Watcher }[] = []
  #current: MemoryStorage
  #calls: MadeCall[] | undefined = []
  #seed: readonly MadeCall[] = []

  /** @param now the clock, in milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
    this.#current = new MemoryStorage({ now })
    this.signing_keys = this.#current.signing_keys
    this.sealing_keys = this.#current.sealing_keys
    this.status_lists = this.#current.status_lists
    this.changes = {
      watch: (kind, watcher) => {
        this.#watching.push({ kind, watcher })
        this.#current.changes.watch(kind, watcher)
      },
      isLive: (kind) => (this.#current as Storage).changes.isLive(kind),
    }
    for (const part of EMPTIED) Object.defineProperty(this, part, { value: this.#forward(part) })
  }

  /** Ends what a reset goes back to. */
  seal(): void {
    this.#seed = this.#calls ?? this.#seed
    this.#calls = undefined
  }

  /** Goes back to the state in which it was sealed. What is in a request now finds nothing. */
  async reset(): Promise<void> {
    const next = new MemoryStorage({ now: this.#now })
    const parts: Parts = next
    for (const { part, name, args } of this.#seed)
      await (Reflect.get(parts[part], name) as AnyCall).apply(parts[part], [...args])
    this.#current = next
    for (const { kind, watcher } of this.#watching) {
      next.changes.watch(kind, watcher)
      watcher.allChanged()
    }
  }

  probe(): Promise<void> {
    return this.#current.probe()
  }

  close(): Promise<void> {
    return this.#current.close()
  }

  /** Returns a part that is always that of the current storage. */
  #forward(part: Emptied): object {
    return new Proxy(
      {},
      {
        get: (_target, name) => {
          const current = this.#current[part]
          const member: unknown = Reflect.get(current, name, current)
          if (typeof member !== 'function') return member
          const call = member as AnyCall
          return (...args: unknown[]) => {
            this.#calls?.push({ part, name: String(name), args })
            return call.apply(current, args)
          }
        },
      },
    )
  }
}
