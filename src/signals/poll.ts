import type { Client } from '../clients/record/client-record.ts'
import { isObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { SET_EVENT } from '../core/security-events.ts'
import type { PolledSets } from '../service/signal-answers.ts'
import type { Storage } from '../storage/storage.ts'
import { OUTBOX } from './bounds.ts'
import { streamRequestMalformed } from './errors.ts'
import { type HeldSet, parseHeld, type SetSigner, signSet } from './held-set.ts'
import { deliveredEvents } from './offered-events.ts'
import { knownError } from './push.ts'
import type { SetStream } from './stream-record.ts'

/** What it takes to answer a receiver that polls. */
export interface PollContext extends SetSigner {
  readonly storage: Pick<Storage, 'outboxes'>
  readonly log: Log
}

/** What a receiver asks for (RFC 8936 §2.2). */
export interface PollRequest {
  readonly max: number
  /** The tokens that it took, by `jti`, and those that it refuses, with the code of the error. */
  readonly taken: readonly string[]
  readonly refused: ReadonlyMap<string, string>
}

const MAX_SETS = 100

/** Reads the request of a receiver that polls. @throws OAuthError `invalid_request` */
export function readPoll(body: Readonly<Record<string, unknown>>): PollRequest {
  const { maxEvents: max = MAX_SETS, ack = [], setErrs = {}, returnImmediately = true } = body
  if (!Number.isSafeInteger(max) || Number(max) < 0)
    throw streamRequestMalformed('maxEvents must be a whole number from 0 on.')
  if (typeof returnImmediately !== 'boolean')
    throw streamRequestMalformed('returnImmediately must be true or false.')
  if (!Array.isArray(ack) || !ack.every((jti) => typeof jti === 'string') || ack.length > OUTBOX.max)
    throw streamRequestMalformed(`ack must be a list of at most ${OUTBOX.max} values of jti.`)
  if (!isObject(setErrs) || !Object.values(setErrs).every(isObject))
    throw streamRequestMalformed('setErrs must have an object with err for each jti.')
  const refused = Object.entries(setErrs).map(
    ([jti, error]) => [jti, knownError((error as Record<string, unknown>).err)] as const,
  )
  return { max: Math.min(Number(max), MAX_SETS), taken: ack, refused: new Map(refused) }
}

/**
 * Removes what a receiver took or refused from its outbox, and returns what is next. It never waits for more
 * (RFC 8936 §2.4): whoever polls again asks for it.
 * @throws StorageUnavailable
 */
export async function poll(
  context: PollContext,
  client: Client,
  stream: SetStream,
  { max, taken, refused }: PollRequest,
): Promise<PolledSets> {
  const { storage, log } = context
  const { client_id } = client
  const delivered = deliveredEvents(stream)
  const items = await storage.outboxes.read(client_id, { limit: OUTBOX.max + 1, ttl: OUTBOX.ttl })
  const over: string[] = []
  const left: HeldSet[] = []
  for (const item of items) {
    const held = parseHeld(item)
    const error = held && refused.get(held.jti)
    if (error !== undefined) log.warn({ client_id, error }, 'A receiver refused a security event token.')
    const is_wanted = held && (held.event.includes('/ssf/') || delivered.includes(held.event))
    if (!is_wanted || error !== undefined || taken.includes(held.jti)) over.push(item)
    else if (isSent(stream, held)) left.push(held)
  }
  await storage.outboxes.remove(client_id, ...over)
  const next = left.slice(0, max)
  return {
    sets: Object.fromEntries(next.map((held) => [held.jti, signSet(context, client, held)])),
    moreAvailable: left.length > next.length,
  }
}

// SSF 1.0: a stream that is paused sends nothing, but that the transmitter paused it.
function isSent({ status }: SetStream, { event }: HeldSet): boolean {
  return status === 'enabled' || (status === 'paused' && event === SET_EVENT.stream_updated)
}
