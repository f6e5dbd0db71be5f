import { hash } from 'node:crypto'
import type { EmailAddress } from '../core/email-address.ts'
import type { FailureGroup } from '../storage/counters.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * How many mails may be asked for in an hour. Notices of what happened are not asked for. The room for all has parts of
 * their own for the `first` that a sender asks for, for `further` ones, and for people who are signed in, or ask in a
 * browser where they were (`own`): who asks often uses up nothing of those who ask once.
 */
export const MAILS_AN_HOUR = {
  sender: 10,
  address: 3,
  user: 3,
  all: { first: 600, further: 400, own: 1000 },
} as const
export type MailLimit = 'sender' | 'address' | 'user' | 'all'
/** A part of the room for all. */
export type MailRoom = keyof typeof MAILS_AN_HOUR.all

const HOUR = 3_600_000

/** A mail that is refused. */
export interface RefusedMail<Limit extends string = MailLimit> {
  readonly limit: Limit
  /** Whether it is the first one beyond the limit: only that is an event, because anybody can repeat it. */
  readonly is_first: boolean
}

/** Returns the room of the nth mail that a sender asks for. */
export const roomOf = (nth: number): 'first' | 'further' => (nth <= 1 ? 'first' : 'further')

/** By how many milliseconds a mail goes before those that are asked for now, so that senders take turns. */
const TURN = 600_000

/**
 * Returns how far the nth mail that a sender asks for goes before others; what nobody asks for goes as far as a first
 * one.
 */
export const aheadOf = (nth = 1): number => Math.max(0, MAILS_AN_HOUR.sender - nth) * TURN

/** Whom a mail is for, and in which part of the room for all it is. */
export interface CountedMail {
  readonly to: EmailAddress
  readonly username: string
  readonly room: MailRoom
}

/** Counts a mail that somebody asks for. Returns what refuses it, or undefined. @throws StorageUnavailable */
export async function countMail(
  { counters }: Pick<Storage, 'counters'>,
  { to, username, room }: CountedMail,
): Promise<RefusedMail | undefined> {
  return countLimits(counters, 'mail', [
    ['address', to.key, MAILS_AN_HOUR.address],
    ['user', username, MAILS_AN_HOUR.user],
    ['all', room, MAILS_AN_HOUR.all[room]],
  ])
}

/**
 * Counts something under each limit in turn, until one refuses. Returns that one, or undefined.
 * @throws StorageUnavailable
 */
export async function countLimits<Limit extends string>(
  counters: Pick<Storage['counters'], 'countFailure'>,
  group: FailureGroup,
  limits: readonly (readonly [limit: Limit, owner: string, max: number])[],
): Promise<RefusedMail<Limit> | undefined> {
  for (const [limit, owner, max] of limits) {
    const name = hash('sha256', JSON.stringify([limit, owner]), 'hex')
    const { count } = await counters.countFailure(group, name, HOUR)
    if (count > max) return { limit, is_first: count === max + 1 }
  }
  return undefined
}
