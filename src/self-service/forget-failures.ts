import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import type { Sub } from '../core/ids.ts'
import { userCodeCounter } from '../device/find-device.ts'
import { subForTrail } from '../factors/change-factors.ts'
import { userCounters } from '../interaction/sign-in-limit.ts'
import { clearCounter, type Lockout, lift, readLockouts } from '../limits/lockouts.ts'
import type { Storage } from '../storage/storage.ts'

/** What it takes to lift lockouts. */
export interface LiftContext {
  readonly storage: Pick<Storage, 'counters' | 'records' | 'registrations' | 'bounded'>
  readonly report: ReportEvent
}

/**
 * Forgets the failures of a user: those from all addresses, the wrong codes of the second step and of devices, and the
 * lockouts that are listed for the user. Limits of addresses stay, whoever is behind them. Returns what was lifted.
 * @throws StorageUnavailable
 */
export async function forgetFailures(
  context: LiftContext,
  username: string,
  sub: Sub | undefined,
): Promise<Lockout[]> {
  const { storage } = context
  const lockouts = (await readLockouts(storage)).filter(
    (one) => one.kind === 'user' && one.username === username,
  )
  // Those that are not full, or not listed.
  for (const counter of userCounters(username)) await clearCounter(storage, counter)
  if (sub !== undefined) await clearCounter(storage, userCodeCounter(sub))
  for (const lockout of lockouts) await liftAndReport(context, lockout, sub)
  return lockouts
}

/**
 * Lifts a lockout.
 * @param sub of the user whom it is about; absent: it is looked up
 * @throws StorageUnavailable
 */
export async function liftAndReport(context: LiftContext, lockout: Lockout, sub?: Sub): Promise<void> {
  const { storage } = context
  const { kind, counter, username, client_id, address } = lockout
  const event: SecurityEvent = {
    event: 'lockout_lifted',
    kind,
    counter,
    username,
    client_id,
    address,
  }
  const about = { sub: sub ?? (username === undefined ? undefined : await subForTrail(context, username)) }
  // Of two operators, one lifted it.
  await commit(context, [event], about, (told) => lift(storage, lockout, told))
}
