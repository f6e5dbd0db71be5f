import { LRUCache } from 'lru-cache'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { isClientIdUrl } from '../clients/documents/client-id-url.ts'
import { describedItself } from '../clients/keys/client-keys.ts'
import type { Settings } from '../config/settings.ts'
import { atMost } from '../core/at-most.ts'
import type { ProvenStep, ShownAt, UnprovenStep } from '../core/connection-steps.ts'
import type { ClientId } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import type { Storage } from '../storage/storage.ts'
import { Losses } from './losses.ts'
import { OF_STRANGERS, RECORDER_DELAY } from './recorder.ts'
import { StepLane } from './step-lane.ts'
import { formatStep, STEP_LISTS } from './step-record.ts'

/** Of each client and person. */
const PROVEN_PER_KIND = 40
/** Of each network. */
const UNPROVEN_PER_KIND = 20
const MAX_UNPROVEN = 500
const PROVEN_WRITES = { per_name: PROVEN_PER_KIND, per_owner: 300, in_all: 1200, always: 20 }
const UNPROVEN_WRITES = { per_name: 30, per_owner: 30, in_all: 300, always: 0 }
/** Documents have no sender, and are fetched in bounded number. */
const DOCUMENTS = 'documents'
const OF_DOCUMENTS = { [DOCUMENTS]: 60 }
/** Of how many tokens it is known where they were shown, and how many places of each. */
const MAX_TOKENS = 10_000
const MAX_PLACES = 20
const MAX_NAMES = 1000

/** What it takes to keep the steps of connections. */
export interface StepRecorderContext {
  readonly storage: Pick<Storage, 'bounded'>
  readonly settings: Pick<Settings, 'explain_max' | 'explain_ttl'>
  readonly clients: Pick<ClientRegistry, 'cached'>
  readonly counts: { explanations_lost: number }
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Keeps what clients do until they are connected. It never delays a request: steps wait here, in bounded number, and are
 * written together a moment later. What proves nothing has a list, a budget and room of its own, so that it takes nothing
 * from what a client or person proved. Of each token the first time that it is shown is a step.
 */
export class StepRecorder {
  readonly #context: StepRecorderContext
  readonly #delay: number
  readonly #proven: StepLane
  readonly #unproven: StepLane
  /** The names of the steps that are most frequent, tokens of clients for themselves: a text made anew is hashed anew. */
  readonly #names = new LRUCache<ClientId, string>(atMost(MAX_NAMES))
  readonly #shown = new LRUCache<string, readonly ShownAt[]>(atMost(MAX_TOKENS))
  #timer: NodeJS.Timeout | undefined

  constructor(context: StepRecorderContext, delay = RECORDER_DELAY) {
    const { storage, settings, now } = context
    const ttl = settings.explain_ttl * 1000
    const { explain_max: max } = settings
    const losses = new Losses(context)
    const boundsOf = (max: number, of_kind: number) => ({ ttl, max, of_kind, looked_at: 2 * of_kind })
    this.#context = context
    this.#delay = delay
    this.#proven = new StepLane(
      {
        list: STEP_LISTS.proven,
        ...{ waiting: 1000, writes: PROVEN_WRITES, kept: boundsOf(max, PROVEN_PER_KIND) },
      },
      ...([storage, losses, now] as const),
    )
    const kept = boundsOf(Math.min(max, MAX_UNPROVEN), UNPROVEN_PER_KIND)
    this.#unproven = new StepLane(
      {
        list: STEP_LISTS.unproven,
        ...{ waiting: MAX_UNPROVEN, writes: UNPROVEN_WRITES, shares: OF_DOCUMENTS, kept },
      },
      ...([storage, losses, now] as const),
    )
  }

  /** Takes a step of a client or person over. */
  takeProven(step: ProvenStep): void {
    const { client_id, sub = '', token = '' } = step
    const places = token === '' ? [] : (this.#shown.peek(token) ?? [])
    const isHere = ({ endpoint, by }: ShownAt) => endpoint === step.endpoint && by === step.by
    if (step.step === 'api' && places.some(isHere)) return
    const is_taken = this.#proven.take(
      this.#nameOf(step),
      (at) => formatStep(step, at),
      () => ({
        kind: `${encodeURIComponent(client_id)}:${encodeURIComponent(sub)}`,
        owner: this.#ownerOf(client_id, sub),
      }),
    )
    if (token !== '') {
      const { endpoint, by } = step
      const others = places.filter((place) => !isHere(place))
      // When a refused token counts again, that is another step.
      const known =
        step.step === 'api' && is_taken ? [...others, { endpoint, by }].slice(-MAX_PLACES) : others
      if (known.length > 0) this.#shown.set(token, known)
      else this.#shown.delete(token)
    }
    this.#begin()
  }

  #nameOf(step: ProvenStep): string {
    if (step.step !== 'token' || step.grant !== undefined) return nameOf(step)
    const known = this.#names.get(step.client_id)
    if (known !== undefined) return known
    const name = nameOf(step)
    this.#names.set(step.client_id, name)
    return name
  }

  /** Takes a step of whoever asks over. */
  takeUnproven(step: UnprovenStep): void {
    const { client_id = '', from } = step
    const is_document = step.step === 'document'
    const kind = is_document ? new URL(client_id).host : from || OF_STRANGERS
    this.#unproven.take(
      `${step.step} ${from} ${client_id}`,
      (at) => formatStep(step, at),
      () => ({ kind, owner: is_document ? DOCUMENTS : kind }),
    )
    this.#begin()
  }

  /** Anybody can make such clients up, and few people: the steps of theirs are those of the person. */
  #ownerOf(client_id: string, sub: string): string {
    const known = this.#context.clients.cached(client_id)
    const is_own_word = known === undefined ? isClientIdUrl(client_id) : describedItself(known)
    if (!is_own_word) return encodeURIComponent(client_id)
    return sub === '' ? OF_STRANGERS : `person:${encodeURIComponent(sub)}`
  }

  #begin(): void {
    this.#timer ??= setTimeout(() => void this.flush(), this.#delay).unref()
  }

  /** Writes what waits. @param all also what was just written */
  async flush(all = false): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lanes = await Promise.allSettled([this.#proven.flush(all), this.#unproven.flush(all)])
    // What is lost is to be told again when it happens again.
    if (lanes.some(({ status }) => status === 'rejected')) this.#shown.clear()
    if (lanes.some((lane) => lane.status === 'fulfilled' && lane.value)) this.#begin()
  }

  /** Writes what still waits. */
  async close(): Promise<void> {
    await this.flush(true)
  }
}

function nameOf({ step, grant = '', endpoint, by = '', client_id }: ProvenStep): string {
  return `${step} ${grant} ${endpoint ?? ''} ${by} ${client_id}`
}
