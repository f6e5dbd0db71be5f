import { hash } from 'node:crypto'
import type { EmailAddress } from '../core/email-address.ts'
import type { FailureGroup } from '../storage/counters.ts'
import type { Storage } from '../storage/storage.ts'

/** How many mails may be asked for in an hour. Notices of what happened are not asked for. */
export const MAILS_AN_HOUR = { address: 3, user: 3, all: 1000 } as const
export type MailLimit = keyof typeof MAILS_AN_HOUR

const HOUR = 3_600_000

/** A mail that is refused. */
export interface Refused<Limit extends string = MailLimit> {
  readonly limit: Limit
  /** Whether it is the first one beyond the limit: only that is an event, because anybody can repeat it. */
  readonly is_first: boolean
}

/**
 * Counts a mail that somebody asks for. Returns what refuses it, or undefined. Those for addresses that nobody has are counted
 * too, in a room of their own, so that no flood of them reaches those of people.
 * @throws StorageUnavailable
 */
export async function countMail(
  { counters }: Pick<Storage, 'counters'>,
  { key }: EmailAddress,
  username: string | undefined,
): Promise<Refused | undefined> {
  const limits: [limit: MailLimit, owner: string][] =
    username === undefined
      ? [['address', key]]
      : [
          ['address', key],
          ['user', username],
          ['all', ''],
        ]
  const group: FailureGroup = username === undefined ? 'mail-unknown' : 'mail'
  for (const [limit, owner] of limits) {
    const name = hash('sha256', JSON.stringify([limit, owner]), 'hex')
    const { count } = await counters.countFailure(group, name, HOUR)
    const max = MAILS_AN_HOUR[limit]
    if (count > max) return { limit, is_first: count === max + 1 }
  }
  return undefined
}
