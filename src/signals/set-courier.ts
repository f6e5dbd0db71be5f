import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { ClientId } from '../core/ids.ts'
import { PollingWorker } from '../core/worker.ts'
import type { LastingKeyContext } from '../keys/lasting-key.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { recordOf } from '../storage/records.ts'
import { openAuthorization } from './authorization.ts'
import { INACTIVITY_TIMEOUT, MAX_FAILURES, OUTBOX } from './bounds.ts'
import { parseHeld, type SetSigner, signSet } from './held-set.ts'
import { type HoldContext, pauseStream } from './hold.ts'
import { deliveredEvents } from './offered-events.ts'
import type { Delivered, PushSet } from './push.ts'
import { isReceiver } from './receiver.ts'
import { type PushDelivery, type SetStream, STREAM } from './stream-record.ts'
import { offerDelivery } from './streams.ts'

/** When and how often tokens are pushed; in seconds. */
export interface SetCourierTiming {
  /** The time between two looks at the queue if nothing announces a token. */
  readonly poll: number
  /** How long a claimed stream is hidden from other replicas: longer than an attempt can take. */
  readonly lease: number
  /** How many streams are claimed at a time. */
  readonly batch: number
  /** How many receivers get something at the same time that took the last one; and as many of the others. */
  readonly lane: number
  /** How long a stream waits that finds no place in its lane, so that many of them do not ask all the time. */
  readonly no_place: number
  /** How many tokens a receiver gets before others have their turn. */
  readonly per_turn: number
  /** The back-off of a receiver after its first failure. Each further one waits twice as long. */
  readonly first_delay: number
  readonly longest_delay: number
}

/** Twenty attempts within half a day. */
export const SET_COURIER_TIMING: SetCourierTiming = {
  poll: 5,
  lease: 30,
  batch: 32,
  lane: 16,
  no_place: 10,
  per_turn: 50,
  first_delay: 5,
  longest_delay: 3600,
}

/** The dependencies of the courier. */
export interface SetCourierContext extends HoldContext, SetSigner {
  readonly settings: HoldContext['settings'] &
    SetSigner['settings'] &
    LastingKeyContext['settings'] &
    Pick<Settings, 'issuer'>
  readonly clients: Pick<ClientRegistry, 'find'>
}

const QUEUE = 'set-deliveries'
// How many are read at a time.
const PART = 10
// In milliseconds.
const RENEW_AFTER = 15_000

/**
 * Pushes tokens to receivers (RFC 8935), from outboxes that all replicas share. A receiver gets one after the other, in
 * their order, and each until it takes it: once or, after a crash, twice. Those that took nothing the last time have a lane
 * of their own, so that however many they are, they are waited for by nobody else.
 */
export class SetCourier extends PollingWorker {
  readonly closes_early = true
  readonly #context: SetCourierContext
  readonly #push: PushSet
  readonly #timing: SetCourierTiming
  readonly #lanes = { good: new Set<ClientId>(), other: new Set<ClientId>() }
  readonly #deliveries = new Set<Promise<void>>()

  constructor(context: SetCourierContext, push: PushSet, timing = SET_COURIER_TIMING) {
    super(
      () => this.#claim(),
      () => timing.poll * 1000,
    )
    this.#context = context
    this.#push = push
    this.#timing = timing
  }

  /** Stops reading the queue. Resolves when what is being sent has arrived or failed. */
  override async close(): Promise<void> {
    await super.close()
    await Promise.all(this.#deliveries)
  }

  async #claim(): Promise<void> {
    const { queue } = this.#context.storage
    const { batch, lease, lane } = this.#timing
    try {
      while (this.#deliveries.size < 2 * lane && !this.closed) {
        const claimed = await queue.claim(QUEUE, batch, lease)
        await Promise.all(claimed.map((client_id) => this.#begin(client_id)))
        if (claimed.length < batch) return
      }
    } catch (error) {
      this.#report(error)
    }
  }

  /** Begins to deliver what a stream holds, if its lane has room. */
  async #begin(client_id: ClientId): Promise<void> {
    const { storage, clients } = this.#context
    const [found, client] = await Promise.all([
      storage.records.read(STREAM, client_id),
      clients.find(client_id),
    ])
    const stream = recordOf(found)
    const push = stream?.status === 'enabled' ? stream.push : undefined
    if (stream === undefined || push === undefined || client === undefined || !isReceiver(client))
      return storage.queue.finish(QUEUE, client_id)
    const is_good = stream.failures === 0 && stream.delivered_at !== undefined
    const lane = this.#lanes[is_good ? 'good' : 'other']
    if (lane.size >= this.#timing.lane || lane.has(client_id))
      return this.#leave(client_id, this.#timing.no_place)
    lane.add(client_id)
    const delivery = this.#deliver(client, stream, push)
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        lane.delete(client_id)
        this.#deliveries.delete(delivery)
        this.wake()
      })
    this.#deliveries.add(delivery)
  }

  async #deliver(client: Client, stream: SetStream, push: PushDelivery): Promise<void> {
    const { client_id } = client
    const { outboxes } = this.#context.storage
    const authorization = await openAuthorization(this.#context, client_id, push)
    let renewed_at = performance.now()
    let sent = 0
    while (sent < this.#timing.per_turn && !this.closed) {
      const items = await outboxes.read(client_id, { limit: PART, ttl: OUTBOX.ttl })
      if (items.length === 0) return this.#rest(client_id, stream, sent)
      for (const item of items) {
        const delivered = await this.#send(client, stream, push, authorization, item)
        if (delivered.outcome === 'failed') return this.#fail(client_id, stream, delivered.status)
        await outboxes.remove(client_id, item)
        sent += 1
        if (performance.now() - renewed_at < RENEW_AFTER) continue
        await this.#leave(client_id, this.#timing.lease)
        renewed_at = performance.now()
      }
    }
    await this.#noteTaken(client_id, stream)
    await this.#leave(client_id, 0)
  }

  async #send(
    client: Client,
    stream: SetStream,
    { endpoint_url }: PushDelivery,
    authorization: string | undefined,
    item: string,
  ): Promise<Delivered> {
    const held = parseHeld(item)
    if (held === undefined || !isWanted(stream, held.event)) return { outcome: 'taken' }
    const delivered = await this.#push(endpoint_url, signSet(this.#context, client, held), authorization)
    if (delivered.outcome !== 'refused') return delivered
    const { error } = delivered
    const { log } = this.#context
    log.warn({ client_id: client.client_id, error }, 'A receiver refused a security event token.')
    // RFC 8935 §2.4: what is wrong with this token stays wrong; what is wrong with all of them can be mended.
    return error === 'invalid_request' ? delivered : { outcome: 'failed', status: error }
  }

  /** Has the stream rest until something is put into its outbox. */
  async #rest(client_id: ClientId, stream: SetStream, sent: number): Promise<void> {
    const { storage } = this.#context
    if (sent > 0) await this.#noteTaken(client_id, stream)
    await storage.queue.finish(QUEUE, client_id)
    // What was put before the item was removed was not announced.
    if ((await storage.outboxes.size(client_id)) > 0) await offerDelivery(this.#context, client_id, stream)
  }

  async #noteTaken(client_id: ClientId, { failures, stream_id }: SetStream): Promise<void> {
    const { storage, now, log } = this.#context
    if (failures > 0) log.info({ client_id }, 'A receiver takes security event tokens again.')
    await storage.records.change(STREAM, client_id, {
      set: { delivered_at: String(now()) },
      unset: ['failures'],
      expected: { stream_id },
      ttl: INACTIVITY_TIMEOUT,
    })
  }

  async #fail(client_id: ClientId, stream: SetStream, status: number | string): Promise<void> {
    const { storage, log } = this.#context
    const { first_delay, longest_delay } = this.#timing
    const { stream_id } = stream
    const failures = stream.failures + 1
    await storage.records.change(STREAM, client_id, {
      set: { failures: String(failures) },
      expected: { stream_id },
    })
    if (failures >= MAX_FAILURES) {
      await pauseStream(this.#context, client_id, stream, 'failing')
      return storage.queue.finish(QUEUE, client_id)
    }
    const delay = Math.min(longest_delay, first_delay * 2 ** (failures - 1))
    log.info(
      { client_id, status, attempt: failures, delay },
      'A receiver took no security event token. It will be retried.',
    )
    await this.#leave(client_id, delay)
  }

  async #leave(client_id: ClientId, delay: number): Promise<void> {
    const retry = { item: client_id, replacement: client_id, delay }
    await this.#context.storage.queue.retryLater(QUEUE, retry)
  }

  // A claimed stream is due again when its lease ends. Storage logs why it is unavailable.
  #report(error: unknown): void {
    if (error instanceof StorageUnavailable) return
    const { log } = this.#context
    log.error({ err: error }, 'A bug prevented the delivery of security event tokens. It will be retried.')
  }
}

/** Whether a stream still has a type of event; what is about the stream itself always is. */
function isWanted(stream: SetStream, event: string): boolean {
  return event.includes('/ssf/') || deliveredEvents(stream).includes(event)
}
