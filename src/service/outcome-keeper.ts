import { type LastOutcome, type LastOutcomes, type PartyName, partyIn } from '../core/last-outcomes.ts'
import type { Log } from '../core/log.ts'
import { PARTIES } from '../core/third-parties.ts'
import { PollingWorker } from '../core/worker.ts'
import type { NewEntry } from '../storage/bounded-lists.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import type { Storage } from '../storage/storage.ts'

/** What last came of asking each third party: `<id>.success` has a time, `<id>.error` a time, a code and a step. */
const OUTCOMES = 'party-outcomes'

const DAY = 86_400_000
/** How long an entry is kept, in milliseconds. */
const KEPT = 90 * DAY
/** Two for each party; of more than 100 of them, the oldest are dropped. */
const MAX_ENTRIES = 200
const EVERY = 10_000

/** Where outcomes are kept. */
export type OutcomeStore = Pick<Storage, 'bounded'>

interface KeeperContext {
  readonly storage: OutcomeStore
  readonly outcomes: LastOutcomes
  readonly log: Log
}

/** Writes what last came of asking third parties, for all replicas. No request waits for it. */
export class OutcomeKeeper extends PollingWorker {
  readonly #context: KeeperContext

  constructor(context: KeeperContext, every = EVERY) {
    super(
      () => this.#write(),
      () => every,
    )
    this.#context = context
  }

  /** Writes what waits. Resolves also if storage is unavailable. */
  override async close(): Promise<void> {
    await super.close()
    await this.#write()
  }

  async #write(): Promise<void> {
    const { storage, outcomes, log } = this.#context
    const changed = outcomes.takeChanged()
    if (changed.size === 0) return
    try {
      const known = await readEntries(storage)
      for (const [id, outcome] of changed) await enterNewer(storage, id, outcome, known.get(id))
    } catch (error) {
      outcomes.giveBack(changed.keys())
      // Storage logs why it is unavailable.
      if (!(error instanceof StorageUnavailable))
        log.error({ err: error }, 'A bug prevented the outcomes at third parties.')
    }
  }
}

/** Writes what is newer than what another replica wrote. */
async function enterNewer(
  { bounded }: OutcomeStore,
  id: string,
  { success_at = 0, error }: LastOutcome,
  known: LastOutcome = {},
): Promise<void> {
  const entries: NewEntry[] = []
  if (success_at > (known.success_at ?? 0)) entries.push({ name: `${id}.success`, text: textOf(success_at) })
  if (error !== undefined && error.at > (known.error?.at ?? 0))
    entries.push({ name: `${id}.error`, text: `${textOf(error.at)} ${error.code} ${error.step}` })
  if (entries.length > 0) await bounded.put(OUTCOMES, entries, { ttl: KEPT, max: MAX_ENTRIES })
}

const textOf = (at: number) => new Date(at).toISOString()

async function readEntries({ bounded }: OutcomeStore): Promise<Map<string, LastOutcome>> {
  const found = new Map<string, LastOutcome>()
  for (const { name, text } of await bounded.read(OUTCOMES)) {
    // Names of clients and issuers have dots.
    const dot = name.lastIndexOf('.')
    const id = name.slice(0, dot)
    const [instant = '', code = '', step = ''] = text.split(' ')
    const at = Date.parse(instant)
    if (Number.isNaN(at)) continue
    const outcome = name.slice(dot) === '.success' ? { success_at: at } : { error: { at, code, step } }
    found.set(id, { ...found.get(id), ...outcome })
  }
  return found
}

/** Returns what last came of asking each third party. @throws StorageUnavailable */
export async function readOutcomes(store: OutcomeStore): Promise<(PartyName & LastOutcome)[]> {
  return [...(await readEntries(store))].flatMap(([id, outcome]) => {
    const party = partyIn(id, PARTIES)
    return party === undefined ? [] : { ...party, ...outcome }
  })
}

/** Returns what last came of asking each provider, by their names. @throws StorageUnavailable */
export async function readProviderOutcomes(store: OutcomeStore): Promise<Map<string, LastOutcome>> {
  const found = await readOutcomes(store)
  return new Map(
    found.flatMap(({ party, name, ...outcome }) =>
      party === 'provider' && name !== undefined ? [[name, outcome] as const] : [],
    ),
  )
}
