import { count } from '../../src/core/count.ts'
import type { Calls } from '../calls.ts'
import { pairs, type Report } from '../output.ts'
import { withNextStep } from './next-step.ts'

/** The command `user factors`: what a user has besides a password, without anything that could be used. */
export async function showFactors({ call }: Calls, username: string): Promise<Report> {
  const factors = await call('read_factors', { params: { username } })
  const { totp, recovery_codes, passkeys } = factors
  const limited = totp?.limited ? ', and no code of it counts any more: too many were wrong' : ''
  const rows: [string, string][] = [
    ...(totp ? [['authenticator app', `set up ${totp.created_at}${limited}`] as [string, string]] : []),
    ...(recovery_codes
      ? [
          ['recovery codes', `${recovery_codes.left} left, made ${recovery_codes.created_at}`] as [
            string,
            string,
          ],
        ]
      : []),
    ...passkeys.map(({ name, created_at, last_used_at, synced }): [string, string] => [
      'passkey',
      `${name}, created ${created_at}, ${last_used_at ? `last used ${last_used_at}` : 'never used'}${synced ? ', synced' : ''}`,
    ]),
  ]
  const text = rows.length === 0 ? 'The user has nothing besides a password.' : pairs(rows)
  return withNextStep({ text, json: factors }, factors)
}

const NAMES = { totp: 'the authenticator app and its recovery codes', passkeys: 'the passkeys' } as const

/** The command `user reset-factors`. Without `only` it removes all. */
export async function resetFactors(
  { call }: Calls,
  username: string,
  only: 'totp' | 'passkeys' | undefined,
): Promise<Report> {
  const query = only === undefined ? {} : { only }
  const done = await call('reset_factors', { params: { username }, query })
  const { removed, ended } = done
  if (removed.length === 0) return { text: 'There was nothing to remove, and nothing ended.', json: done }
  const what = removed.map((name) => NAMES[name]).join(' and ')
  return withNextStep({ text: `Removed: ${what}. Ended: ${count(ended, 'session')}.`, json: done }, done)
}
