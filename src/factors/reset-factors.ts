import { type ReportEvent, type SecurityEvent, toldOf } from '../core/events.ts'
import { changeFactors, type FactorsContext, subForTrail } from './change-factors.ts'
import type { Factors } from './factors-record.ts'
import { releasePasskeys } from './passkeys/passkey-owner.ts'
import { withoutSecondStep } from './totp.ts'

/** What an operator can remove. */
export const RESETTABLE = ['totp', 'passkeys'] as const
export type Resettable = (typeof RESETTABLE)[number]

/**
 * Removes factors of a user: an authenticator app with its recovery codes, passkeys, or both. Returns what there was.
 * The caller ends the sessions of the user.
 * @throws StorageUnavailable
 */
export async function resetFactors(
  context: FactorsContext & { readonly report: ReportEvent },
  username: string,
  wanted: readonly Resettable[],
): Promise<readonly Resettable[]> {
  let removed: readonly Resettable[] = []
  let passkeys: Iterable<string> = []
  let event: SecurityEvent = { event: 'factors_reset', username, removed }
  const sub = await subForTrail(context, username)
  const change = (factors: Factors) => {
    removed = wanted.filter((what) => hasFactor(factors, what))
    if (removed.length === 0) return undefined
    passkeys = removed.includes('passkeys') ? factors.passkeys.keys() : []
    const left = removed.includes('totp') ? withoutSecondStep(factors) : factors
    event = { event: 'factors_reset', username, removed }
    return removed.includes('passkeys') ? { ...left, passkeys: new Map() } : left
  }
  await changeFactors(context, username, change, () => toldOf(context.report, [event], { sub }))
  await releasePasskeys(context, username, passkeys)
  if (removed.length > 0) context.report(event)
  return removed
}

function hasFactor({ totp, passkeys }: Factors, what: Resettable): boolean {
  return what === 'totp' ? totp !== undefined : passkeys.size > 0
}
