import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent } from '../core/events.ts'
import type { ClientId } from '../core/ids.ts'
import { newId } from '../core/token-string.ts'
import type { ConfiguredStream } from '../service/signal-answers.ts'
import { recordOf, write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { sealAuthorization } from './authorization.ts'
import { INACTIVITY_TIMEOUT, MIN_VERIFICATION_INTERVAL } from './bounds.ts'
import { readCursor } from './cursor.ts'
import { streamExists, streamUnknown } from './errors.ts'
import { deliveredEvents, OFFERED_EVENTS } from './offered-events.ts'
import {
  DELIVERY_METHODS,
  type PushDelivery,
  type SetStream,
  STREAM,
  type StreamStatus,
} from './stream-record.ts'
import type { GivenDelivery, StreamConfiguration } from './stream-request.ts'

/** What it takes to look after streams. */
export interface StreamContext {
  readonly storage: Storage
  readonly settings: Pick<Settings, 'issuer' | 'key_encryption_key'>
  readonly report: ReportEvent
  /** Told that something may be delivered. */
  readonly wake: () => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Returns the stream of a client; undefined: it has none. @throws StorageUnavailable */
export async function readStream(
  { storage }: Pick<StreamContext, 'storage'>,
  client_id: ClientId,
): Promise<SetStream | undefined> {
  return recordOf(await storage.records.read(STREAM, client_id))
}

/**
 * Returns the stream of a client that its receiver names, which lives on for that.
 * @throws OAuthError `invalid_request` if it has no such stream; StorageUnavailable
 */
export async function namedStream(
  { storage }: Pick<StreamContext, 'storage'>,
  client_id: ClientId,
  stream_id: string,
): Promise<SetStream> {
  const found = recordOf(await storage.records.read(STREAM, client_id, { idle_ttl: INACTIVITY_TIMEOUT }))
  if (found === undefined || found.stream_id !== stream_id) throw streamUnknown()
  return found
}

/** Returns the configuration of a stream as its receiver sees it (SSF 1.0, Stream Configuration). */
export function configurationOf(
  { settings }: Pick<StreamContext, 'settings'>,
  client_id: ClientId,
  stream: SetStream,
  pollAt: (stream_id: string) => string,
): ConfiguredStream {
  const { stream_id, push, events_requested, description } = stream
  return {
    stream_id,
    iss: settings.issuer,
    aud: client_id,
    events_supported: [...OFFERED_EVENTS],
    ...(events_requested && { events_requested: [...events_requested] }),
    events_delivered: [...deliveredEvents(stream)],
    // What its receiver gave for the header Authorization is shown to nobody.
    delivery:
      push === undefined
        ? { method: DELIVERY_METHODS.poll, endpoint_url: pollAt(stream_id) }
        : { method: DELIVERY_METHODS.push, endpoint_url: push.endpoint_url },
    min_verification_interval: MIN_VERIFICATION_INTERVAL,
    inactivity_timeout: INACTIVITY_TIMEOUT,
    ...(description !== undefined && { description }),
  }
}

/** Makes the stream of a client. @throws OAuthError `invalid_request` if it has one; StorageUnavailable */
export async function createStream(
  context: StreamContext,
  { client_id }: Pick<Client, 'client_id'>,
  given: StreamConfiguration,
): Promise<SetStream> {
  const stream: SetStream = {
    stream_id: newId(),
    ...(await stored(context, client_id, given)),
    status: 'enabled',
    created_at: context.now(),
    failures: 0,
  }
  // What happens from now on is told, whenever a server first reads the trail.
  await readCursor(context.storage)
  const made = await commit(context, [changed(client_id, 'created')], {}, (told) =>
    context.storage.records.create({ ...write(STREAM, client_id, stream, INACTIVITY_TIMEOUT), told }),
  )
  if (made === 'exists') throw streamExists()
  return stream
}

/**
 * Changes the configuration of a stream: what is not given stays, or with `replaces` is removed.
 * @throws as namedStream
 */
export async function changeStream(
  context: StreamContext,
  client_id: ClientId,
  stream: SetStream,
  { given, replaces }: { readonly given: StreamConfiguration; readonly replaces: boolean },
): Promise<SetStream> {
  const { push, events_requested, description, ...kept } = stream
  const former = {
    ...(push && { push }),
    ...(events_requested && { events_requested }),
    ...(description !== undefined && { description }),
  }
  const wanted = await stored(context, client_id, given)
  // A receiver that comes to poll leaves no address behind.
  const base = given.delivery === undefined ? former : without(former, 'push')
  const next: SetStream = { ...kept, ...(replaces ? {} : base), ...wanted, failures: 0 }
  const [before, after] = [STREAM.format(stream), STREAM.format(next)]
  const made = await commit(context, [changed(client_id, 'changed')], {}, (told) =>
    context.storage.records.change(STREAM, client_id, {
      set: after,
      unset: Object.keys(before).filter((field) => !Object.hasOwn(after, field)),
      expected: { stream_id: stream.stream_id },
      told,
    }),
  )
  if (made === 'missing') throw streamUnknown()
  await offerDelivery(context, client_id, next)
  return next
}

/** Changes the status of a stream as its receiver says. @throws as namedStream */
export async function changeStatus(
  context: StreamContext,
  client_id: ClientId,
  stream: SetStream,
  { status, reason }: { readonly status: StreamStatus; readonly reason: string | undefined },
): Promise<void> {
  const made = await commit(context, [changed(client_id, status)], {}, (told) =>
    context.storage.records.change(STREAM, client_id, {
      set: { status, ...(reason !== undefined && { reason }) },
      unset: [...(reason === undefined ? ['reason'] : []), 'failures'],
      expected: { stream_id: stream.stream_id },
      told,
    }),
  )
  if (made === 'missing') throw streamUnknown()
  // SSF 1.0: what is disabled holds nothing.
  if (status === 'disabled') await context.storage.outboxes.clear(client_id)
  await offerDelivery(context, client_id, { ...stream, status })
}

/** Removes the stream of a client with what it holds. @throws as namedStream */
export async function deleteStream(
  context: StreamContext,
  client_id: ClientId,
  { stream_id }: Pick<SetStream, 'stream_id'>,
): Promise<void> {
  const { storage } = context
  const current = await readStream(context, client_id)
  if (current?.stream_id !== stream_id) throw streamUnknown()
  const removed = await commit(context, [changed(client_id, 'deleted')], {}, (told) =>
    storage.records.remove(STREAM, client_id, told),
  )
  if (removed === undefined) throw streamUnknown()
  await forgetHeld(context, client_id)
}

/** Removes what is kept besides a stream. @throws StorageUnavailable */
export async function forgetHeld(
  { storage }: Pick<StreamContext, 'storage'>,
  client_id: ClientId,
): Promise<void> {
  await storage.outboxes.clear(client_id)
  await storage.queue.finish('set-deliveries', client_id)
}

/** Has what a stream holds pushed, if it is one that is pushed to. @throws StorageUnavailable */
export async function offerDelivery(
  { storage, wake }: Pick<StreamContext, 'storage' | 'wake'>,
  client_id: ClientId,
  { push, status }: Pick<SetStream, 'push' | 'status'>,
): Promise<void> {
  if (push === undefined || status !== 'enabled') return
  await storage.queue.offer('set-deliveries', client_id, { max: MAX_QUEUED })
  wake()
}

/** As many as there may be streams: an item for each. */
const MAX_QUEUED = 1_000_000

async function stored(
  context: StreamContext,
  client_id: ClientId,
  { delivery, events_requested, description }: StreamConfiguration,
): Promise<Pick<SetStream, 'push' | 'events_requested' | 'description'>> {
  const push = delivery && (await pushOf(context, client_id, delivery))
  return {
    ...(push && { push }),
    ...(events_requested && { events_requested }),
    ...(description !== undefined && { description }),
  }
}

async function pushOf(
  context: StreamContext,
  client_id: ClientId,
  delivery: GivenDelivery,
): Promise<PushDelivery | undefined> {
  if (delivery.method === 'poll') return undefined
  const { endpoint_url, authorization_header } = delivery
  const owner = { client_id, endpoint_url }
  const authorization_sealed =
    authorization_header && (await sealAuthorization(context, owner, authorization_header))
  return { endpoint_url, ...(authorization_sealed && { authorization_sealed }) }
}

function without<T extends object, Name extends keyof T>(value: T, name: Name): Omit<T, Name> {
  const { [name]: _, ...rest } = value
  return rest
}

const changed = (client_id: ClientId, change: 'created' | 'changed' | 'deleted' | StreamStatus) =>
  ({ event: 'signal_stream_changed', client_id, change }) as const
