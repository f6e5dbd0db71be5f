import { hash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Session } from '../sessions/session.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { USER_CODE } from '../tokens/device-record.ts'

/** What it takes to find the device of a user code. */
export interface FindDeviceContext {
  readonly settings: Pick<Settings, 'sign_in_failures' | 'sign_in_window'>
  readonly storage: Pick<Storage, 'counters' | 'records'>
  readonly report: ReportEvent
}

/** `found`: the id of the record of the device. `throttled`: nothing was looked at; `retry_after` in seconds. */
export type FoundDevice =
  | { readonly outcome: 'found'; readonly device: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'throttled'; readonly retry_after: number }

/**
 * Finds the device of a user code for a signed-in user. Wrong codes count as failures of the user, wherever they come
 * from (RFC 8628 §5.1), and are counted before anything is looked up, so that a burst cannot exceed the limit.
 * @throws StorageUnavailable
 */
export async function findDevice(
  { settings, storage, report }: FindDeviceContext,
  user_code: string,
  { username, sub }: Pick<Session, 'username' | 'sub'>,
): Promise<FoundDevice> {
  const { sign_in_failures: max, sign_in_window: window } = settings
  const name = hash('sha256', JSON.stringify(['user-code', sub]), 'hex')
  const { count, ends_in } = await storage.counters.countFailure('user-code', name, window * 1000)
  if (count > max) {
    const retry_after = Math.max(1, Math.ceil(ends_in / 1000))
    if (count === max + 1) report({ event: 'user_code_limited', username, sub, retry_after })
    return { outcome: 'throttled', retry_after }
  }
  const found = recordOf(await storage.records.read(USER_CODE, user_code))
  if (found === undefined) return { outcome: 'unknown' }
  await storage.counters.forgiveFailure('user-code', name)
  return { outcome: 'found', device: found.device }
}
