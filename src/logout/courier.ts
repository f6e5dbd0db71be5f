import type { ClientRegistry } from '../clients/client-registry.ts'
import { type NoticeOutcomeContext, noteNotice } from '../clients/notice-outcome.ts'
import {
  type Attempted,
  type CourierTiming,
  NoticeCourier,
  type NoticeCourierContext,
} from '../outbound/notice-courier.ts'
import { claimLogouts, finishLogouts, type LogoutNotice, retryLogouts } from '../sessions/logout-queue.ts'
import type { Storage } from '../storage/storage.ts'
import { type LogoutTokenContext, signLogoutToken } from './logout-token.ts'

/**
 * Posts a form to a client.
 * @returns the status of the response, or a short reason why there is none; never an address or a token
 */
export type PostForm = (uri: string, form: string) => Promise<number | string>

/** Ten attempts within half an hour. */
export const COURIER_TIMING: CourierTiming = {
  poll: 5,
  busy_poll: 0.25,
  lease: 30,
  batch: 64,
  concurrency: 16,
  per_client: 2,
  spacing: 0.02,
  attempts: 10,
  first_delay: 5,
  longest_delay: 600,
}

/** The dependencies of the courier. */
export interface CourierContext extends LogoutTokenContext, NoticeCourierContext, NoticeOutcomeContext {
  readonly storage: Pick<Storage, 'queue'>
  readonly clients: Pick<ClientRegistry, 'find'>
}

/** Sends notices of logouts to clients (OpenID Connect Back-Channel Logout). */
export class LogoutCourier extends NoticeCourier<LogoutNotice> {
  constructor(context: CourierContext, post: PostForm, timing = COURIER_TIMING) {
    const { storage, log } = context
    const kind = {
      claim: (max: number, lease: number) => claimLogouts({ queue: storage.queue, log }, max, lease),
      finish: finishLogouts.bind(undefined, storage),
      retry: retryLogouts.bind(undefined, storage),
      attempt: (notice: LogoutNotice) => attempt(context, post, notice),
      of: 'of a logout',
    }
    super(kind, context, timing)
  }
}

async function attempt(context: CourierContext, post: PostForm, notice: LogoutNotice): Promise<Attempted> {
  const client = await context.clients.find(notice.client_id)
  const uri = client?.backchannel_logout_uri
  // The client was removed or disabled, or has no backchannel_logout_uri any more.
  if (client === undefined || uri === undefined) return 'done'
  const token = signLogoutToken(context, client, notice)
  const status = await post(uri, new URLSearchParams({ logout_token: token }).toString())
  // Back-Channel Logout §2.8: 200; some frameworks send 204.
  const is_delivered = status === 200 || status === 204
  noteNotice(context, 'logout_notices', client, is_delivered || status)
  return is_delivered ? 'done' : { status }
}
