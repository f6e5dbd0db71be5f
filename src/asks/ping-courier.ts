import type { ClientRegistry } from '../clients/client-registry.ts'
import { type NoticeOutcomeContext, noteNotice } from '../clients/notice-outcome.ts'
import type { Sealer } from '../keys/sealer.ts'
import {
  type Attempted,
  type CourierTiming,
  NoticeCourier,
  type NoticeCourierContext,
} from '../outbound/notice-courier.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { ASKED } from '../tokens/asked-record.ts'
import { openPing, type Ping } from './ping.ts'
import { claimPings, finishPings, type PingNotice, retryPings } from './ping-queue.ts'

/**
 * Tells a client of an answer.
 * @returns the status of the response, or a short reason why there is none; never an address or a token
 */
export type PostPing = (endpoint: string, ping: Ping) => Promise<number | string>

/** Eight attempts within five minutes: a request waits for at most ten. */
export const PING_TIMING: CourierTiming = {
  poll: 5,
  busy_poll: 0.25,
  lease: 30,
  batch: 64,
  concurrency: 16,
  per_client: 4,
  spacing: 0.02,
  attempts: 8,
  first_delay: 2,
  longest_delay: 120,
}

/** The dependencies of the courier. */
export interface PingCourierContext extends NoticeCourierContext, NoticeOutcomeContext {
  readonly storage: Pick<Storage, 'queue' | 'records'>
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly sealer: Pick<Sealer, 'open'>
}

/** Tells clients that a person answered what they asked (OpenID Connect CIBA Core §10.2). They may poll all the same. */
export class PingCourier extends NoticeCourier<PingNotice> {
  constructor(context: PingCourierContext, post: PostPing, timing = PING_TIMING) {
    const kind = {
      claim: claimPings.bind(undefined, context),
      finish: finishPings.bind(undefined, context),
      retry: retryPings.bind(undefined, context),
      attempt: (notice: PingNotice) => attempt(context, post, notice),
      of: 'of an answer',
    }
    super(kind, context, timing)
  }
}

async function attempt(
  context: PingCourierContext,
  post: PostPing,
  { id, client_id }: PingNotice,
): Promise<Attempted> {
  const { clients, storage } = context
  const client = await clients.find(client_id)
  const endpoint = client?.backchannel_client_notification_endpoint
  const asked = recordOf(await storage.records.read(ASKED, id))
  // It lost its endpoint, or what it asked is over.
  if (client === undefined || endpoint === undefined || asked === undefined) return 'done'
  if (asked.status === 'pending') return 'not_yet'
  const ping = openPing(context, id, asked)
  if (ping === undefined) return 'done'
  const status = await post(endpoint, ping)
  // CIBA §10.2: 204, or 200; a redirect is not followed.
  const is_delivered = status === 204 || status === 200
  noteNotice(context, 'ask_pings', client, is_delivered || status)
  return is_delivered ? 'done' : { status }
}
