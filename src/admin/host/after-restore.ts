import { INITIAL_ACCESS_TOKEN } from '../../clients/registration/initial-access-token.ts'
import { parseObject } from '../../core/json.ts'
import { FACTORS } from '../../factors/factors-record.ts'
import { PUSHED } from '../../interaction/pushed-request.ts'
import { dropSealingKeysBefore } from '../../keys/sealing-keys.ts'
import { USER_INVITATION } from '../../self-service/invitation.ts'
import { type EndedCounts, endAllBefore } from '../../sessions/session-store.ts'
import type { Storage } from '../../storage/storage.ts'
import { DEVICE } from '../../tokens/device-record.ts'

/** What of a restored Redis cannot be used any more, in numbers. */
export interface ForgottenCounts {
  /** Pushed requests and device codes. */
  requests: number
  /** Links and codes that prove something for an account. */
  links: number
  /** Invitations of people, and initial access tokens of clients. */
  invitations: number
  /** People who had recovery codes. */
  recovery_codes: number
}

/** What it takes to end what a restored Redis has. */
type RestoredStorage = Pick<Storage, 'records' | 'families' | 'evidence' | 'sealing_keys'>

/**
 * Ends what may have been used since the copy that was restored, if it is from before a time in seconds since 1970:
 * sessions and grants, and all that counts once. Scans all keys.
 * @throws as endAllBefore
 */
export async function endRestored(
  storage: RestoredStorage,
  not_before: number,
): Promise<{ readonly ended: EndedCounts; readonly forgotten: ForgottenCounts }> {
  const time = not_before * 1000
  // What browsers and queues keep for us is sealed: pending requests, challenges, mails, answers of operations.
  await dropSealingKeysBefore(storage.sealing_keys, time)
  const ended = await endAllBefore(storage, not_before)
  const { records } = storage
  const isOld = (instant: string | undefined) => !(Date.parse(instant ?? '') >= time)
  // A pushed request has no time of its own. There is none that a server took before it knew of the mark.
  const pushed = await records.forget(PUSHED, () => true)
  const devices = await records.forget(
    DEVICE,
    ({ status, asked_at }) => status === 'pending' && isOld(asked_at),
  )
  const of_clients = await records.forget(INITIAL_ACCESS_TOKEN, ({ created_at }) => isOld(created_at))
  const of_people = await records.forget(USER_INVITATION, ({ created_at }) => isOld(created_at))
  const forgotten = {
    requests: pushed + devices,
    links: await storage.evidence.endMadeBefore(time),
    invitations: of_clients + of_people,
    recovery_codes: await forgetRecoveryCodes(storage, time),
  }
  return { ended, forgotten }
}

/** Nobody can tell which codes were used, and a used one must not let anybody in a second time. */
async function forgetRecoveryCodes({ records }: RestoredStorage, time: number): Promise<number> {
  let people = 0
  for await (const { id, hash } of records.scan(FACTORS)) {
    const { recovery } = hash
    if (recovery === undefined || Number(parseObject(recovery)?.created_at) >= time) continue
    const change = { set: {}, unset: ['recovery'], expected: { recovery } }
    if ((await records.change(FACTORS, id, change)) === 'ok') people += 1
  }
  return people
}
