import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import { USER } from '../users/user-kind.ts'
import { changeAccount } from './account-now.ts'
import { type FactorsContext, findFactors } from './change-factors.ts'
import type { Factors } from './factors-record.ts'
import { releasePasskeys } from './passkeys/passkey-owner.ts'
import { withoutSecondStep } from './totp.ts'

/** What an operator can remove. */
export const RESETTABLE = ['totp', 'passkeys'] as const
export type Resettable = (typeof RESETTABLE)[number]

/**
 * Removes factors of a user: an authenticator app with its recovery codes, passkeys, or both. It counts as a change of the
 * account also if there are none: one that was about to be added does not come after this. The caller ends the sessions
 * of the user.
 * @returns what there was
 * @throws StorageUnavailable
 */
export async function resetFactors(
  context: FactorsContext & { readonly report: ReportEvent },
  username: string,
  wanted: readonly Resettable[],
): Promise<readonly Resettable[]> {
  for (;;) {
    const [found, { factors }] = await Promise.all([
      context.storage.records.read(USER, username),
      findFactors(context, username),
    ])
    if (found === undefined) return []
    const { hash } = found
    const removed = wanted.filter((what) => hasFactor(factors, what))
    const events: SecurityEvent[] = removed.length > 0 ? [{ event: 'factors_reset', username, removed }] : []
    const left = removed.length > 0 && { factors: without(factors, removed) }
    const change = { ...left, is_counted: true } as const
    const account = { user: { username }, hash, factors }
    const changed = await commit(context, events, { sub: hash.sub }, (told) =>
      changeAccount(context, account, { ...change, told }),
    )
    if (changed === undefined) continue
    await releasePasskeys(context, username, removed.includes('passkeys') ? factors.passkeys.keys() : [])
    return removed
  }
}

function without(factors: Factors, removed: readonly Resettable[]): Factors {
  const left = removed.includes('totp') ? withoutSecondStep(factors) : factors
  return removed.includes('passkeys') ? { ...left, passkeys: new Map() } : left
}

function hasFactor({ totp, passkeys }: Factors, what: Resettable): boolean {
  return what === 'totp' ? totp !== undefined : passkeys.size > 0
}
