import type { RedisAccess } from './access.ts'
import { atEndOfTurn } from './gathered-command.ts'

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

/** The tokens of a script that was not sent yet. */
interface Batch {
  readonly keys: string[]
  readonly args: (string | number)[]
  readonly written: Promise<unknown>
}

/**
 * Writes tokens that have no family. Where a script may have keys of several slots, those of a turn of the event loop are one script,
 * which saves Redis a third of the time (docs/decisions/0070-tokens-of-a-turn.md).
 */
export class ClientTokens {
  readonly #access: RedisAccess
  #batch: Batch | undefined

  constructor(access: RedisAccess) {
    this.#access = access
  }

  /** Writes a token. @throws StorageUnavailable, as every command does */
  save(key: string, token: ClientTokenArguments): Promise<unknown> {
    // Each token has a slot of its own.
    if (!this.#access.connection.spansSlots) return this.#access.write('save-client-tokens', [key], token)
    this.#batch ??= this.#newBatch()
    const { keys, args, written } = this.#batch
    keys.push(key)
    args.push(...token)
    if (keys.length === MAX_TOGETHER) this.#batch = undefined
    return written
  }

  #newBatch(): Batch {
    const keys: string[] = []
    const args: (string | number)[] = []
    const written = new Promise((resolve) => {
      atEndOfTurn(() => {
        this.#batch = undefined
        resolve(this.#access.write('save-client-tokens', keys, args))
      })
    })
    return { keys, args, written }
  }
}
