import type { KeyRing } from '../keys/ring.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { StatusBit } from '../storage/noted-jwts.ts'
import type { SharedHash } from '../storage/shared-hash.ts'
import type { StatusBits } from '../tokens/status-bits.ts'
import { orderOf } from './list-order.ts'
import {
  BLOCK,
  BLOCK_FOR,
  formatLists,
  type ListsState,
  parseLists,
  type ReservedBlock,
  reserve,
} from './lists-state.ts'

/** What changes what storage has of the lists. */
export interface ListsContext {
  readonly store: SharedHash
  readonly keys: Pick<KeyRing, 'notBefore'>
}

/** A block whose bits are given out. */
interface OpenBlock extends ReservedBlock {
  /** The restore mark when it was reserved. */
  readonly mark: number
  /** By performance.now(). */
  readonly until: number
  used: number
}

/** When so few bits are left, the next ones are reserved. */
const FEW = BLOCK / 2

/** How often servers may come before each other. */
const ATTEMPTS = 20

/**
 * Gives out bits of status lists. They are reserved in blocks before they are needed, so that no request waits for storage;
 * what a server has not used when it ends is lost.
 */
export class ReservedBits implements StatusBits {
  readonly #context: ListsContext
  #blocks: OpenBlock[] = []
  #returned: StatusBit[] = []
  #reserving: Promise<void> | undefined
  /** The order of the list that bits were reserved of last. */
  #order: { readonly seed: string; readonly indexes: Uint32Array } | undefined

  constructor(context: ListsContext) {
    this.#context = context
  }

  take(): StatusBit | Promise<StatusBit> {
    this.#blocks = this.#blocks.filter((block) => this.#isOpen(block))
    const [block, next] = this.#blocks
    if (block === undefined) return this.#reserve().then(() => this.take())
    // If it fails, a later token waits for it.
    if (next === undefined && BLOCK - block.used <= FEW) this.#reserve().catch(() => {})
    const returned = this.#returned.pop()
    if (returned?.list === block.list) return returned
    const position = block.first + block.used
    block.used += 1
    return { list: block.list, index: this.#indexAt(block.seed, position) }
  }

  giveBack(bit: StatusBit): void {
    if (this.#returned.length < BLOCK) this.#returned.push(bit)
  }

  #isOpen({ used, until, mark }: OpenBlock): boolean {
    return used < BLOCK && performance.now() < until && mark >= this.#context.keys.notBefore
  }

  #indexAt(seed: string, position: number): number {
    if (this.#order?.seed !== seed) this.#order = { seed, indexes: orderOf(seed) }
    const index = this.#order.indexes[position]
    if (index === undefined) throw new RangeError(`the list has no position ${position}`)
    return index
  }

  /** Reserves a block. @throws StorageUnavailable */
  #reserve(): Promise<void> {
    this.#reserving ??= this.#newBlock()
      .then((block) => void this.#blocks.push(block))
      .finally(() => {
        this.#reserving = undefined
      })
    return this.#reserving
  }

  async #newBlock(): Promise<OpenBlock> {
    const mark = this.#context.keys.notBefore
    const until = performance.now() + BLOCK_FOR
    const block = await changeLists(this.#context, (state, now) => reserve(state, mark, now))
    return { ...block, mark, until, used: 0 }
  }
}

/**
 * Changes what storage has of the lists, whatever other servers change meanwhile, and returns what `change` returns as
 * `block`; undefined: it changes nothing.
 * @throws StorageUnavailable
 */
export async function changeLists<T>(
  { store }: Pick<ListsContext, 'store'>,
  change: (state: ListsState, now: number) => { readonly state: ListsState; readonly block: T },
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [before, now] = await Promise.all([store.read(), store.now()])
    const { state, block } = change(parseLists(before), now)
    if (await store.replace(before, formatLists(state))) return block
  }
  throw new StorageUnavailable('other servers changed the status lists again and again')
}
