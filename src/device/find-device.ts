import { hash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Sub } from '../core/ids.ts'
import type { OnRefusal } from '../core/refusal.ts'
import { countAsFailed, WIDER } from '../interaction/failure-counters.ts'
import type { CounterPlace } from '../limits/lockouts.ts'
import { counterOf } from '../limits/networks.ts'
import type { Session } from '../sessions/session.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { USER_CODE } from '../tokens/device-record.ts'

/** What it takes to find the device of a user code. */
export interface FindDeviceContext {
  readonly settings: Pick<Settings, 'sign_in_failures' | 'sign_in_window'>
  readonly storage: Pick<Storage, 'counters' | 'records' | 'bounded'>
  readonly report: ReportEvent
  readonly refused: OnRefusal
}

/** `found`: the id of the record of the device. `throttled`: nothing was looked at; `retry_after` in seconds. */
export type FoundDevice =
  | { readonly outcome: 'found'; readonly device: string }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'throttled'; readonly retry_after: number }

/**
 * Finds the device of a user code for a signed-in user. Wrong codes count as failures of the user, wherever they come
 * from, and of the address, whoever enters them (RFC 8628 §5.1). They are counted before anything is looked up, so that a
 * burst cannot exceed the limits.
 * @param address the IPv4 address, or the network of the IPv6 address, of the user
 * @throws StorageUnavailable
 */
export async function findDevice(
  { settings, storage, report, refused }: FindDeviceContext,
  user_code: string,
  { username, sub }: Pick<Session, 'username' | 'sub'>,
  address: string,
): Promise<FoundDevice> {
  const { sign_in_failures: few, sign_in_window } = settings
  // The user first, so that a user whose counter is full creates no counters by changing the address.
  const counters = [
    {
      of: 'user',
      ...userCodeCounter(sub),
      max: few,
      whom: { counter: 'user_code_user', username },
    },
    {
      of: 'address',
      group: 'user-code-address',
      name: nameOf('user-code address', counterOf(address)),
      max: few * WIDER,
      whom: { counter: 'user_code_address', address },
    },
  ] as const
  const throttled = await countAsFailed(storage, counters, sign_in_window)
  if (throttled !== undefined) {
    const { limit, retry_after, is_first } = throttled
    if (is_first) report({ event: 'user_code_limited', limit, username, sub, retry_after })
    refused({ reason: 'user_code_limited', received: { limit, retry_after, sub } })
    return { outcome: 'throttled', retry_after }
  }
  const found = recordOf(await storage.records.read(USER_CODE, user_code))
  if (found === undefined) {
    refused({ reason: 'user_code_wrong', received: { sub } })
    return { outcome: 'unknown' }
  }
  await storage.counters.forgiveFailures(counters)
  return { outcome: 'found', device: found.device }
}

/** Where the wrong user codes of a user are counted. */
export function userCodeCounter(sub: Sub): CounterPlace & { group: 'user-code' } {
  return { group: 'user-code', name: nameOf('user-code', sub) }
}

/** A counter's name: a digest of 64 characters, which shows no user or address. */
function nameOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex')
}
