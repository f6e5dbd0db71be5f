import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../../core/log.ts'
import { StorageUnavailable } from '../../errors.ts'
import type { RedisConnection } from '../connection/connect.ts'
import { OutcomeUnknown } from '../connection/errors.ts'
import type { ArgsOf, RunScript, ScriptAnswer } from './scripts.ts'

// All in milliseconds, by a clock that nobody sets. A request must be answered within a second.
const REQUEST_TIME = 900
const WITHDRAW_AGAIN_AFTER = 100
/** The maximum lifetime of a code, and of the mark of a withdrawn operation. */
const WITHDRAW_WITHIN = 600_000
const CLOSE_WITHIN = 500
/** How long a withdrawal may be missing on another server: a failover loses the last writes of the old one. */
const REPEAT_WITHIN = 60_000
const REPEAT_AT_MOST = 1000

type OperationName = 'redeem-code' | 'refresh-token'

/** A script that spends a code or refresh token, and the script that undoes it; both have the same keys. */
interface Operation<Name extends OperationName = OperationName> {
  script: Name
  withdrawal: 'withdraw-redemption' | 'withdraw-refresh'
  /** The first one is the code or refresh token to spend. */
  keys: readonly string[]
  /** The keys of the ids that this uses up; a withdrawal does not give them back. */
  single_uses: readonly string[]
  args: ArgsOf<Name>
  /** The arguments if it is sent again. */
  argsAgain(): ArgsOf<Name>
}

/** How operations are run and withdrawn. */
interface OperationScripts {
  run: RunScript
  withdraw: RunScript
  /**
   * Whether an operation may be sent again. False if writes wait for replicas: the repetition writes nothing, and WAIT
   * covers only writes of its own connection.
   */
  resends: boolean
}

/**
 * Runs operations whose answer must not be lost. If the answer is lost, the operation may be sent once more, because it
 * gets the same answer. If that fails too, the caller gets an error and the operation is withdrawn as soon as Redis is
 * reachable, so that a retry of the caller finds the state from before.
 */
export class Operations {
  readonly #scripts: OperationScripts
  readonly #connection: RedisConnection
  readonly #log: Log
  /** The withdrawals that are under way, by the key of the code or refresh token. */
  readonly #withdrawals = new Map<string, Promise<void>>()
  /** The last withdrawals, oldest first. */
  readonly #recent: { operation: Operation; at: number }[] = []
  #closed = false

  constructor(scripts: OperationScripts, connection: RedisConnection, log: Log) {
    this.#scripts = scripts
    this.#connection = connection
    this.#log = log
    connection.onMoved(() => {
      const since = performance.now() - REPEAT_WITHIN
      for (const { operation, at } of this.#recent.splice(0)) if (at > since) void this.#withdraw(operation)
    })
  }

  /** @throws StorageUnavailable within a second if the outcome is unknown */
  async run<Name extends OperationName>(operation: Operation<Name>): Promise<ScriptAnswer<Name>> {
    const { script, keys, single_uses, args } = operation
    const all_keys = [...keys, ...single_uses]
    const { run, resends } = this.#scripts
    const deadline = performance.now() + REQUEST_TIME
    // Wait for a withdrawal of the same record, or this operation would find the state before it.
    const withdrawal = this.#withdrawals.get(keys[0] ?? '')
    if (withdrawal !== undefined) await before(deadline, withdrawal)
    try {
      return await run(script, all_keys, args)
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error
      try {
        if (!resends) throw error
        await before(deadline, this.#connection.ready())
        return await before(deadline, run(script, all_keys, operation.argsAgain()))
      } catch {
        // A retry may reach another replica of redmint, so try to finish the withdrawal before the answer.
        await before(deadline, this.#withdraw(operation)).catch(() => {})
        throw error
      }
    }
  }

  /** Waits a short time for withdrawals that are under way, and then gives up. */
  async close(): Promise<void> {
    const open = Promise.all(this.#withdrawals.values())
    await Promise.race([open, delay(CLOSE_WITHIN, undefined, { ref: false })])
    this.#closed = true
  }

  #withdraw(operation: Operation): Promise<void> {
    const { withdrawal, keys, args } = operation
    const [spent = ''] = keys
    const earlier = this.#withdrawals.get(spent)
    const done: Promise<void> = Promise.resolve(earlier)
      .then(() =>
        this.#untilAnswered(() => this.#scripts.withdraw(withdrawal, keys, { operation: args.operation })),
      )
      .then(() => {
        this.#recent.push({ operation, at: performance.now() })
        if (this.#recent.length > REPEAT_AT_MOST) this.#recent.shift()
        if (this.#withdrawals.get(spent) === done) this.#withdrawals.delete(spent)
      })
    this.#withdrawals.set(spent, done)
    return done
  }

  async #untilAnswered(run: () => Promise<unknown>): Promise<void> {
    const end = performance.now() + WITHDRAW_WITHIN
    while (!this.#closed && performance.now() < end) {
      try {
        await run()
        return
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) {
          this.#log.error({ err: error }, 'An operation without an answer could not be withdrawn.')
          return
        }
        await delay(WITHDRAW_AGAIN_AFTER, undefined, { ref: false })
      }
    }
  }
}

/** @throws OutcomeUnknown when the promise is not settled by `deadline`, in milliseconds of performance.now() */
async function before<T>(deadline: number, promise: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = delay(deadline - performance.now(), undefined, { signal: timer.signal }).then(() => {
    throw new OutcomeUnknown('no answer in time')
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    late.catch(() => {})
    timer.abort()
  }
}
