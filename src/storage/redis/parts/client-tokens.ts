import type { FamilyId } from '../../../core/ids.ts'
import { newFamilyId, parseToken } from '../../../core/token-string.ts'
import { StorageUnavailable } from '../../errors.ts'
import { atEndOfTurn } from '../connection/driver.ts'
import { OutcomeUnknown } from '../connection/errors.ts'
import { SUFFIX_LENGTH, slotOf, suffixFor } from '../slot.ts'
import type { RedisAccess } from './access.ts'

/** What the script save-client-tokens is told of one token. */
export type ClientTokenArguments = readonly [
  ttl: number,
  jti: string,
  scope: string,
  client_id: string,
  more: number,
  ...fields: string[],
]

/** How many tokens a script writes at most: Redis does nothing else meanwhile, for about 5 µs each. */
const MAX_TOGETHER = 32

/** The slot of all tokens where a script may have keys of several. */
const ANY_SLOT = -1

/** A token, and where it is written. */
interface Saved {
  readonly key: string
  readonly token: ClientTokenArguments
}

/** The tokens of a script that was not sent yet. */
interface Batch {
  readonly tokens: Saved[]
  readonly written: Promise<unknown>
}

/**
 * Writes tokens that have no family. Those of a turn of the event loop are one script, which saves Redis a third of the
 * time (docs/decisions/0076-what-costs-time.md).
 */
export class ClientTokens {
  readonly #access: RedisAccess
  readonly #batches = new Map<number, Batch>()
  /** The slot of the families that were asked for in this turn. */
  #slot: number | undefined

  constructor(access: RedisAccess) {
    this.#access = access
  }

  /** Returns the id of a family. Where a script has keys of one slot only, families of a turn share a slot. */
  newFamily(): FamilyId {
    const random = newFamilyId()
    if (this.#access.connection.spansSlots) return random
    if (this.#slot === undefined) {
      this.#slot = slotOf(random)
      atEndOfTurn(() => {
        this.#slot = undefined
      })
    }
    const free = random.slice(0, -SUFFIX_LENGTH)
    return free + suffixFor(free, this.#slot)
  }

  /** Writes a token. @throws StorageUnavailable, as every command does */
  save(key: string, token: ClientTokenArguments): Promise<unknown> {
    const [, jti] = token
    const slot = this.#access.connection.spansSlots ? ANY_SLOT : slotOf(parseToken(jti)?.family ?? '')
    const batch = this.#batches.get(slot) ?? this.#newBatch(slot)
    batch.tokens.push({ key, token })
    if (batch.tokens.length === MAX_TOGETHER) this.#batches.delete(slot)
    return batch.written
  }

  #newBatch(slot: number): Batch {
    const tokens: Saved[] = []
    const written = new Promise((resolve) => {
      atEndOfTurn(() => {
        this.#batches.delete(slot)
        resolve(this.#write(tokens))
      })
    })
    const batch = { tokens, written }
    this.#batches.set(slot, batch)
    return batch
  }

  #write(tokens: readonly Saved[]): Promise<unknown> {
    const keys: string[] = []
    const args: (string | number)[] = []
    for (const { key, token } of tokens) {
      keys.push(key)
      args.push(...token)
    }
    const written = this.#access.write('save-client-tokens', keys, { tokens: args })
    return tokens.length === 1 || this.#access.connection.spansSlots
      ? written
      : written.catch((error: unknown) => this.#writeAlone(tokens, error))
  }

  // A slot that is being moved takes no script with several keys that are new.
  #writeAlone(tokens: readonly Saved[], error: unknown): Promise<unknown> {
    if (!(error instanceof StorageUnavailable) || error instanceof OutcomeUnknown) throw error
    const { write } = this.#access
    return Promise.all(tokens.map(({ key, token }) => write('save-client-tokens', [key], { tokens: token })))
  }
}
