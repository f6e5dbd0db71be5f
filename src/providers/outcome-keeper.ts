import type { Log } from '../core/log.ts'
import { Worker } from '../core/worker.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'
import type { LastOutcome, LastOutcomes } from './outcomes.ts'

/** What last came of asking each provider: `<provider>.success` has a time, `<provider>.error` a time and a code. */
const OUTCOME_ROSTER = 'provider-outcomes'

const DAY = 86_400_000
/** How long an entry is kept, in milliseconds. */
const KEPT = 90 * DAY
/** Two for each provider; of more than 100 providers, the oldest are dropped. */
const MAX_ENTRIES = 200
const EVERY = 10_000

/** Where outcomes are kept. */
export type OutcomeStore = Pick<Storage, 'rosters'>

interface KeeperContext {
  readonly storage: OutcomeStore
  readonly log: Log
}

/** Writes what last came of asking providers, for all replicas. No sign-in waits for it. */
export class OutcomeKeeper {
  readonly #context: KeeperContext
  readonly #outcomes: LastOutcomes
  readonly #worker: Worker

  constructor(context: KeeperContext, outcomes: LastOutcomes, every = EVERY) {
    this.#context = context
    this.#outcomes = outcomes
    this.#worker = new Worker(
      () => this.#write(),
      () => every,
    )
  }

  start(): void {
    this.#worker.start()
  }

  /** Writes what waits. Resolves also if storage is unavailable. */
  async close(): Promise<void> {
    await this.#worker.close()
    await this.#write()
  }

  async #write(): Promise<void> {
    const changed = this.#outcomes.takeChanged()
    if (changed.size === 0) return
    const { storage, log } = this.#context
    try {
      const known = await readOutcomes(storage)
      for (const [provider, outcome] of changed)
        await enterNewer(storage, provider, outcome, known.get(provider))
    } catch (error) {
      this.#outcomes.giveBack(changed.keys())
      // Storage logs why it is unavailable.
      if (!(error instanceof StorageUnavailable))
        log.error({ err: error }, 'A bug prevented the outcomes at providers.')
    }
  }
}

/** Writes what is newer than what another replica wrote. */
async function enterNewer(
  { rosters }: OutcomeStore,
  provider: string,
  { success_at = 0, error }: LastOutcome,
  known: LastOutcome = {},
): Promise<void> {
  const entering = { ttl: KEPT, max: MAX_ENTRIES }
  if (success_at > (known.success_at ?? 0))
    await rosters.enter(OUTCOME_ROSTER, `${provider}.success`, textOf(success_at), entering)
  if (error !== undefined && error.at > (known.error?.at ?? 0))
    await rosters.enter(OUTCOME_ROSTER, `${provider}.error`, `${textOf(error.at)} ${error.code}`, entering)
}

const textOf = (at: number) => new Date(at).toISOString()

/** Returns what last came of asking providers, by their names. @throws StorageUnavailable */
export async function readOutcomes({ rosters }: OutcomeStore): Promise<Map<string, LastOutcome>> {
  const found = new Map<string, LastOutcome>()
  for (const { name, text } of await rosters.read(OUTCOME_ROSTER)) {
    const [provider = '', what] = name.split('.')
    const [instant = '', code = ''] = text.split(' ')
    const at = Date.parse(instant)
    if (Number.isNaN(at)) continue
    const outcome = what === 'success' ? { success_at: at } : { error: { at, code } }
    found.set(provider, { ...found.get(provider), ...outcome })
  }
  return found
}
