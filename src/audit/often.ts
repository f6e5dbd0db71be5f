import { LRUCache } from 'lru-cache'
import { atMost } from '../core/at-most.ts'
import type { Origin } from '../core/audit-entries.ts'
import type { EventName, SecurityEvent } from '../core/events.ts'

/** What a person can do without end, and what changes no record of others. */
const OF_PEOPLE: readonly EventName[] = [
  'sign_in_succeeded',
  'signed_out',
  'session_ended',
  'consent_given',
  'consent_withdrawn',
  'device_allowed',
  'device_denied',
]

/** Of these, what receivers of security events are told: it is in the step of the change, however often it is done. */
export const SIGNALLED: readonly EventName[] = ['signed_out', 'session_ended']

/** How many in an hour are told with the changes: of one person together, and of all mails, which strangers can ask for. */
export const AN_HOUR = { of_person: 10, of_mails: 30 } as const

const HOUR = 3_600_000
/** How many people are remembered. */
const MAX_PEOPLE = 10_000

/** Returns who does something that anybody with an account can repeat; undefined: nobody can, or an operator does it. */
export function repeaterOf(event: SecurityEvent, { actor }: Origin): string | undefined {
  if (actor !== undefined) return undefined
  if (event.event === 'mail_sent') return 'mails'
  return OF_PEOPLE.includes(event.event) && 'username' in event ? `user ${event.username}` : undefined
}

/** Tells what is done too often to be among the changes: it is counted together, as what is refused. */
export class Often {
  readonly #now: () => number
  readonly #told: readonly EventName[]
  readonly #counts = new LRUCache<string, { count: number; ends: number }>(atMost(MAX_PEOPLE))

  /**
   * @param now milliseconds since 1970
   * @param told what is among the changes, however often it is done
   */
  constructor(now: () => number, told: readonly EventName[] = []) {
    this.#now = now
    this.#told = told
  }

  /** Counts an event. Returns whether its repeater did more than is told in an hour. */
  includes(event: SecurityEvent, origin: Origin): boolean {
    const repeater = this.#told.includes(event.event) ? undefined : repeaterOf(event, origin)
    return repeater !== undefined && this.#count(repeater) > limitOf(event)
  }

  #count(repeater: string): number {
    const now = this.#now()
    const known = this.#counts.get(repeater)
    const { count, ends } = known && now < known.ends ? known : { count: 0, ends: now + HOUR }
    this.#counts.set(repeater, { count: count + 1, ends })
    return count + 1
  }
}

const limitOf = ({ event }: SecurityEvent) => (event === 'mail_sent' ? AN_HOUR.of_mails : AN_HOUR.of_person)
