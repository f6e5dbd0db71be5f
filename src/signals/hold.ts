import type { Client } from '../clients/record/client-record.ts'
import { sidFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent } from '../core/events.ts'
import type { ClientId, Sub } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { issSub, SET_EVENT, type SetEventUri } from '../core/security-events.ts'
import { newId } from '../core/token-string.ts'
import type { Storage } from '../storage/storage.ts'
import { OUTBOX } from './bounds.ts'
import { formatHeld, type HeldSet, jtiOf, type SetSubject, transactionOf } from './held-set.ts'
import { deliveredEvents } from './offered-events.ts'
import { isReceiver, subjectAt } from './receiver.ts'
import type { Signal } from './signals-of.ts'
import { type SetStream, STREAM } from './stream-record.ts'
import { offerDelivery } from './streams.ts'
import { mutedSubjects } from './subjects.ts'

/** What it takes to hold something for a receiver. */
export interface HoldContext {
  readonly storage: Storage
  readonly settings: Pick<Settings, 'issuer' | 'pairwise_salt'>
  readonly report: ReportEvent
  readonly log: Log
  /** Told that something may be delivered. */
  readonly wake: () => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A receiver, and its stream. */
export interface Receiver {
  readonly client: Client
  readonly stream: SetStream
}

/** What a receiver is told of one thing that happened to somebody. */
export interface SignalsAbout {
  readonly entry_id: string
  /** ISO 8601. */
  readonly at: string
  readonly sub: Sub
  readonly signals: readonly Signal[]
}

/**
 * Puts signals about somebody into the outbox of a receiver: those that its stream has, unless it does not want to hear of
 * the person. A stream whose outbox is full is paused.
 * @throws StorageUnavailable
 */
export async function holdSignals(
  context: HoldContext,
  receiver: Receiver,
  { entry_id, at, sub, signals }: SignalsAbout,
): Promise<void> {
  const { client, stream } = receiver
  const { storage, settings } = context
  const delivered = deliveredEvents(stream)
  const wanted = signals.filter(({ event }) => delivered.includes(event))
  const subject = subjectAt(client, sub, settings)
  if (wanted.length === 0 || subject === undefined || !isReceiver(client)) return
  if ((await storage.lists.among(mutedSubjects(client.client_id), [subject])).length > 0) return
  const txn = transactionOf(entry_id, client.client_id)
  const iat = Math.floor(Date.parse(at) / 1000)
  const user = issSub(settings.issuer, subject)
  const held = wanted.map(
    ({ event, claims, sid, about }, i): HeldSet => ({
      jti: jtiOf(txn, i),
      iat,
      txn,
      sub_id: about ?? (sid === undefined ? user : sessionOf(client, user, sid, settings)),
      event,
      claims,
    }),
  )
  await hold(context, receiver, held)
}

function sessionOf(
  client: Client,
  user: ReturnType<typeof issSub>,
  sid: string,
  settings: HoldContext['settings'],
): SetSubject {
  return { format: 'complex', user, session: { format: 'opaque', id: sidFor(client, sid, settings) } }
}

/** Puts something about a stream itself into its outbox (SSF 1.0). @throws StorageUnavailable */
export function holdOfStream(
  context: HoldContext,
  receiver: Receiver,
  event: SetEventUri,
  claims: HeldSet['claims'],
): Promise<void> {
  return hold(context, receiver, [ofStream(receiver.stream, event, claims, context.now())])
}

function ofStream(
  { stream_id }: SetStream,
  event: SetEventUri,
  claims: HeldSet['claims'],
  now: number,
): HeldSet {
  const sub_id = { format: 'opaque', id: stream_id } as const
  return { jti: newId(), iat: Math.floor(now / 1000), sub_id, event, claims }
}

async function hold(
  context: HoldContext,
  { client: { client_id }, stream }: Receiver,
  held: readonly HeldSet[],
): Promise<void> {
  const has_room = await context.storage.outboxes.put(client_id, held.map(formatHeld), OUTBOX)
  if (has_room) return offerDelivery(context, client_id, stream)
  await pauseStream(context, client_id, stream, 'full')
}

/**
 * Pauses an enabled stream whose receiver takes nothing: the last thing that it holds says so.
 * @throws StorageUnavailable
 */
export async function pauseStream(
  context: HoldContext,
  client_id: ClientId,
  stream: SetStream,
  reason: 'full' | 'failing',
): Promise<void> {
  if (stream.status !== 'enabled') return
  const event = { event: 'signal_stream_paused', client_id, reason } as const
  const text = REASONS[reason]
  const made = await commit(context, [event], {}, (told) =>
    context.storage.records.change(STREAM, client_id, {
      set: { status: 'paused', reason: text },
      expected: { stream_id: stream.stream_id, status: 'enabled' },
      told,
    }),
  )
  if (made === 'missing') return
  const updated = ofStream(
    stream,
    SET_EVENT.stream_updated,
    { status: 'paused', reason: text },
    context.now(),
  )
  await context.storage.outboxes.put(client_id, [formatHeld(updated)], { ...OUTBOX, max: OUTBOX.max + 1 })
}

/** What the receiver reads. */
const REASONS = {
  full: 'Too many events waited to be taken; later ones were not kept.',
  failing: 'The endpoint took nothing for hours.',
} as const
