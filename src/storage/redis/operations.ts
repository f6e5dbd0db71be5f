import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import { StorageUnavailable } from '../storage.ts'
import type { Connection } from './connect.ts'
import { OutcomeUnknown } from './errors.ts'
import type { RunScript, ScriptName } from './scripts.ts'

// All in milliseconds. A request has a second in all.
const REQUEST_TIME = 900
const WITHDRAW_AGAIN_AFTER = 100
/** As long as a code lives at most, and as long as the mark of a withdrawn operation. */
const WITHDRAW_WITHIN = 600_000
const CLOSE_WITHIN = 500

/** A script that spends something, and the one that takes that back; both have the same keys. */
interface Operation {
  script: ScriptName
  withdrawal: ScriptName
  /** The first one is what is spent. */
  keys: readonly string[]
  /** The first one is the operation's id. */
  args: readonly (string | number)[]
}

/**
 * Runs operations that must not be half known. One whose answer was lost is sent once more, because it answers
 * the same again; where that fails too, the caller is told nothing for certain, and so it is taken back as
 * soon as Redis can be asked: whoever tries again then finds what there was before.
 */
export class Operations {
  readonly #run: RunScript
  readonly #connection: Connection
  readonly #log: Log
  /** What is being taken back, by the key of what was spent. */
  readonly #withdrawals = new Map<string, Promise<void>>()
  #closed = false

  constructor(run: RunScript, connection: Connection, log: Log) {
    this.#run = run
    this.#connection = connection
    this.#log = log
  }

  /** @throws StorageUnavailable within a second where it cannot be told what happened */
  async run(operation: Operation): Promise<unknown> {
    const { script, keys, args } = operation
    const deadline = Date.now() + REQUEST_TIME
    // Nothing overtakes a withdrawal: it would find what is about to be taken back.
    const withdrawal = this.#withdrawals.get(keys[0] ?? '')
    if (withdrawal !== undefined) await before(deadline, withdrawal)
    try {
      return await this.#run(script, keys, args)
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error
      try {
        await before(deadline, this.#connection.ready())
        return await before(deadline, this.#run(script, keys, args))
      } catch {
        this.#withdraw(operation)
        throw error
      }
    }
  }

  /** Gives what is being taken back a moment, and then gives up. */
  async close(): Promise<void> {
    const open = Promise.all(this.#withdrawals.values())
    await Promise.race([open, delay(CLOSE_WITHIN, undefined, { ref: false })])
    this.#closed = true
  }

  #withdraw({ withdrawal, keys, args }: Operation): void {
    const [spent = ''] = keys
    const earlier = this.#withdrawals.get(spent)
    const done: Promise<void> = Promise.resolve(earlier)
      .then(() => this.#untilAnswered(() => this.#run(withdrawal, keys, args.slice(0, 1))))
      .then(() => {
        if (this.#withdrawals.get(spent) === done) this.#withdrawals.delete(spent)
      })
    this.#withdrawals.set(spent, done)
  }

  async #untilAnswered(run: () => Promise<unknown>): Promise<void> {
    const end = Date.now() + WITHDRAW_WITHIN
    while (!this.#closed && Date.now() < end) {
      try {
        await run()
        return
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) {
          this.#log.error({ err: error }, 'An operation without an answer could not be taken back.')
          return
        }
        await delay(WITHDRAW_AGAIN_AFTER, undefined, { ref: false })
      }
    }
  }
}

/** @throws OutcomeUnknown when the promise is not settled by `deadline`, in milliseconds since 1970 */
async function before<T>(deadline: number, promise: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = delay(deadline - Date.now(), undefined, { signal: timer.signal }).then(() => {
    throw new OutcomeUnknown('no answer in time')
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    late.catch(() => {})
    timer.abort()
  }
}
