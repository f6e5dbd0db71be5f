import type { ReportEvent } from '../core/events.ts'
import type { Sub } from '../core/ids.ts'
import { userCodeCounter } from '../device/find-device.ts'
import { userCounter } from '../interaction/sign-in-limit.ts'
import { clearCounter, type Lockout, lift, readLockouts } from '../limits/lockouts.ts'
import type { Storage } from '../storage/storage.ts'

/** What it takes to lift lockouts. */
export interface LiftContext {
  readonly storage: Pick<Storage, 'counters' | 'records' | 'registrations' | 'rosters'>
  readonly report: ReportEvent
}

/**
 * Forgets the failures of a user: those from all addresses, the wrong user codes, and the lockouts that are listed for the
 * user. Limits of addresses stay, whoever is behind them. Returns what was lifted.
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
  await clearCounter(storage, userCounter(username))
  if (sub !== undefined) await clearCounter(storage, userCodeCounter(sub))
  for (const lockout of lockouts) await liftAndReport(context, lockout)
  return lockouts
}

/** Lifts a lockout. @throws StorageUnavailable */
export async function liftAndReport({ storage, report }: LiftContext, lockout: Lockout): Promise<void> {
  const was_listed = await lift(storage, lockout)
  const { kind, counter, username, client_id, address } = lockout
  // Of two operators, one lifted it.
  if (was_listed) report({ event: 'lockout_lifted', kind, counter, username, client_id, address })
}
