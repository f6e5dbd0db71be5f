import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../core/log.ts'
import { StorageUnavailable } from '../errors.ts'
import type { Connection } from './connect.ts'
import { OutcomeUnknown } from './errors.ts'
import type { AnswerOf, ArgsOf, RunScript } from './scripts.ts'

// All in milliseconds. A request has a second in all.
const REQUEST_TIME = 900
const WITHDRAW_AGAIN_AFTER = 100
/** As long as a code lives at most, and as long as the mark of a withdrawn operation. */
const WITHDRAW_WITHIN = 600_000
const CLOSE_WITHIN = 500

/** A script that spends something, and the one that takes that back; both have the same keys. */
interface Operation {
  script: 'redeem-code' | 'refresh-token'
  withdrawal: 'withdraw-redemption' | 'withdraw-refresh'
  /** The first one is what is spent. */
  keys: readonly string[]
  /** The first one is the operation's id. */
  args: ArgsOf<'redeem-code'>
}

/** How operations are run and withdrawn. */
interface OperationScripts {
  run: RunScript
  withdraw: RunScript
  /**
   * Whether an operation may be sent again. Not where replicas are waited for: the second time it writes
   * nothing, and the replicas cannot be asked for what somebody else's connection wrote.
   */
  resends: boolean
}

/**
 * Runs operations that must not be half known. One whose answer was lost may be sent once more, because it
 * answers the same again; where that fails too, the caller is told nothing for certain, and so it is taken back as
 * soon as Redis can be asked: whoever tries again then finds what there was before.
 */
export class Operations {
  readonly #scripts: OperationScripts
  readonly #connection: Connection
  readonly #log: Log
  /** What is being taken back, by the key of what was spent. */
  readonly #withdrawals = new Map<string, Promise<void>>()
  #closed = false

  constructor(scripts: OperationScripts, connection: Connection, log: Log) {
    this.#scripts = scripts
    this.#connection = connection
    this.#log = log
  }

  /** @throws StorageUnavailable within a second where it cannot be told what happened */
  async run(operation: Operation): Promise<AnswerOf<'redeem-code'>> {
    const { script, keys, args } = operation
    const { run, resends } = this.#scripts
    const deadline = Date.now() + REQUEST_TIME
    // Nothing overtakes a withdrawal: it would find what is about to be taken back.
    const withdrawal = this.#withdrawals.get(keys[0] ?? '')
    if (withdrawal !== undefined) await before(deadline, withdrawal)
    try {
      return await run(script, keys, args)
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error
      try {
        if (!resends) throw error
        await before(deadline, this.#connection.ready())
        return await before(deadline, run(script, keys, args))
      } catch {
        // Whoever tries again by another replica of redmint should find it done, if it can be done by then.
        await before(deadline, this.#withdraw(operation)).catch(() => {})
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

  #withdraw({ withdrawal, keys, args }: Operation): Promise<void> {
    const [spent = ''] = keys
    const earlier = this.#withdrawals.get(spent)
    const done: Promise<void> = Promise.resolve(earlier)
      .then(() => this.#untilAnswered(() => this.#scripts.withdraw(withdrawal, keys, [args[0]])))
      .then(() => {
        if (this.#withdrawals.get(spent) === done) this.#withdrawals.delete(spent)
      })
    this.#withdrawals.set(spent, done)
    return done
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
