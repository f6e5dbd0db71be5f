import type { Settings } from '../config/settings.ts'
import { statusListUri } from '../core/paths.ts'
import type { KeyRing } from '../keys/ring.ts'
import { write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { isEndedJwt, type TokenStateContext } from '../tokens/access-token.ts'
import { changeLists } from './bits.ts'
import { decoysOf } from './decoys.ts'
import { orderOf } from './list-order.ts'
import { LIST_KEPT, STATUS_LIST } from './list-record.ts'
import { bytesOf, signList } from './list-token.ts'
import { type ListsState, liveLists, parseLists } from './lists-state.ts'

/** What writing lists takes. */
export type WriterContext = TokenStateContext & {
  readonly storage: Pick<Storage, 'families' | 'noted_jwts' | 'records' | 'status_lists'>
  readonly settings: Pick<Settings, 'access_token_alg' | 'issuer'>
  readonly keys: Pick<KeyRing, 'firstKeys' | 'notBefore' | 'signingKey'>
}

/** Writes the status lists, if they were not written for a while, by this server or another one. */
export class ListWriter {
  readonly #context: WriterContext
  /** How often the lists are written, in milliseconds. */
  readonly #every: number
  /** The orders of the lists that were written the time before, by their seeds. */
  #orders = new Map<string, Uint32Array>()

  constructor(context: WriterContext, every: number) {
    this.#context = context
    this.#every = every
  }

  /**
   * Looks at all tokens that are noted, and signs the lists that say which of them have ended. What ended before the call
   * is in the lists.
   * @throws StorageUnavailable
   */
  async write(): Promise<void> {
    const state = await this.#claim()
    if (state === undefined) return
    const { lists, written_at } = state
    const ended = new Map([...lists.keys()].map((list) => [list, new Set<number>()]))
    await this.#lookAtTokens(ended)
    const { keys, settings, storage } = this.#context
    await keys.firstKeys()
    const key = keys.signingKey(settings.access_token_alg)
    const orders = new Map<string, Uint32Array>()
    const starts = new Map<string, number>()
    for (const [list, { seed, start }] of lists) {
      const order = this.#orders.get(seed) ?? orderOf(seed)
      orders.set(seed, order)
      const set = ended.get(list) ?? new Set()
      const decoys = decoysOf(order, start, set.size)
      starts.set(list, decoys.start)
      const bytes = bytesOf([...set, ...decoys.set])
      // What ends from now on may be missing.
      const jwt = signList(key, statusListUri(settings, list), bytes, written_at)
      await storage.records.put(write(STATUS_LIST, list, { jwt }, LIST_KEPT))
    }
    this.#orders = orders
    await this.#move(starts)
  }

  /** Says that this server writes the lists now; undefined: it is not time, or another one does. */
  async #claim(): Promise<ListsState | undefined> {
    const { status_lists: store } = this.#context.storage
    const [hash, now] = await Promise.all([store.read(), store.now()])
    const before = parseLists(hash)
    if (before.lists.size === 0 || Math.abs(now - before.written_at) < this.#every) return undefined
    return changeLists({ store }, (state, now) => {
      if (state.written_at !== before.written_at) return { state, block: undefined }
      const next = { ...state, written_at: now, lists: liveLists(state, now) }
      return { state: next, block: next }
    })
  }

  async #lookAtTokens(ended: ReadonlyMap<string, Set<number>>): Promise<void> {
    const { families, noted_jwts } = this.#context.storage
    for await (const part of noted_jwts.walk()) {
      const found = await families.findTokensAndFamilies(part.map(({ jti }) => jti))
      await Promise.all(
        part.map(async (noted, i) => {
          const list = ended.get(noted.list)
          const token = found[i]
          if (list === undefined || token === undefined) return
          if (await isEndedJwt(this.#context, noted, token)) list.add(noted.index)
        }),
      )
    }
  }

  /** Notes where the decoys begin. */
  async #move(starts: ReadonlyMap<string, number>): Promise<void> {
    await changeLists({ store: this.#context.storage.status_lists }, (state) => {
      const lists = new Map(
        [...state.lists].map(([id, list]) => [id, { ...list, start: starts.get(id) ?? list.start }]),
      )
      return { state: { ...state, lists }, block: undefined }
    })
  }
}
