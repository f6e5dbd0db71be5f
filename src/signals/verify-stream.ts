import type { Client } from '../clients/record/client-record.ts'
import { SET_EVENT } from '../core/security-events.ts'
import { MIN_VERIFICATION_INTERVAL } from './bounds.ts'
import { streamLimited } from './errors.ts'
import { type HoldContext, holdOfStream } from './hold.ts'
import { type SetStream, STREAM } from './stream-record.ts'

/**
 * Has a verification sent over a stream (SSF 1.0, Triggering a Verification Event): one in an interval.
 * @param state what the receiver wants to find in it
 * @throws OAuthError `temporarily_unavailable` too soon after another one; StorageUnavailable
 */
export async function verifyStream(
  context: HoldContext,
  client: Client,
  stream: SetStream,
  state: string | undefined,
): Promise<void> {
  const now = context.now()
  const { stream_id, verified_at } = stream
  const wait = verified_at === undefined ? 0 : verified_at + MIN_VERIFICATION_INTERVAL * 1000 - now
  const was = verified_at === undefined ? {} : { verified_at: String(verified_at) }
  const is_first =
    wait <= 0 &&
    (await context.storage.records.change(STREAM, client.client_id, {
      set: { verified_at: String(now) },
      expected: { stream_id, ...was },
      ...(verified_at === undefined && { absent: ['verified_at'] }),
    })) === 'ok'
  // Another request may have been the first one.
  if (!is_first) throw streamLimited('verifications', Math.max(1, Math.ceil(wait / 1000)))
  if (stream.status === 'disabled') return
  await holdOfStream(
    context,
    { client, stream },
    SET_EVENT.verification,
    state === undefined ? {} : { state },
  )
}
