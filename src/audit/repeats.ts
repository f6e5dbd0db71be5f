import type { Origin } from '../core/audit-entries.ts'
import type { SecurityEvent } from '../core/events.ts'
import { siteOf } from '../limits/networks.ts'
import type { Counted } from './entry.ts'
import { repeaterOf } from './often.ts'
import { isOfClient } from './parts.ts'

/** An event that is to be written, and how many it stands for if they are several. */
export interface Repeat {
  readonly event: SecurityEvent
  readonly origin: Origin
  readonly at: number
  readonly counted?: Counted
}

interface Open {
  readonly sender: string
  ends: number
  /** How many came since the last entry. */
  count: number
  last: Omit<Repeat, 'counted'>
}

/** How many of a sender, and of all, are told apart at a time; those beyond are counted by event alone. */
const MAX_OPEN = { of_sender: 20, in_all: 200 }
const MINUTE = 60_000

/**
 * Counts events together that a sender can repeat without end: the first is written at once, those that say the same in the
 * following minute are one entry at its end. A sender is a site of the network, or the client or the person that acts.
 * What is remembered is bounded.
 */
export class Repeats {
  readonly #now: () => number
  readonly #open = new Map<string, Open>()
  readonly #senders = new Map<string, number>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Takes an event. Returns it if it is to be written at once. */
  take(event: SecurityEvent, origin: Origin): Repeat | undefined {
    const at = this.#now()
    const sender = senderOf(event, origin)
    const said = JSON.stringify([sender, event])
    const others = `others ${event.event}`
    const same = this.#open.get(said)
    if (same !== undefined) return this.#count(same, { event, origin, at })
    const of_sender = this.#senders.get(sender) ?? 0
    if (of_sender < MAX_OPEN.of_sender && this.#open.size < MAX_OPEN.in_all) {
      this.#senders.set(sender, of_sender + 1)
      this.#open.set(said, { sender, ends: at + MINUTE, count: 0, last: { event, origin, at } })
      return { event, origin, at }
    }
    const nameless = { event: { event: event.event } as SecurityEvent, origin: {}, at }
    const open = this.#open.get(others)
    if (open !== undefined) return this.#count(open, nameless)
    this.#open.set(others, { sender: '', ends: at + MINUTE, count: 1, last: nameless })
    return undefined
  }

  #count(open: Open, last: Open['last']): undefined {
    open.count += 1
    open.last = last
  }

  /** Returns what is to be written of those whose minute is over, or of all. */
  due(is_end = false): Repeat[] {
    const now = this.#now()
    const due: Repeat[] = []
    for (const [said, open] of this.#open) {
      if (!is_end && now < open.ends && now >= open.ends - MINUTE) continue
      const { sender, count, last } = open
      if (count > 0) due.push({ ...last, counted: { count, is_of_others: sender === '' } })
      // Whoever goes on has one entry a minute.
      if (count > 0 && !is_end) Object.assign(open, { ends: now + MINUTE, count: 0 })
      else this.#forget(said, sender)
    }
    return due
  }

  #forget(said: string, sender: string): void {
    this.#open.delete(said)
    const left = (this.#senders.get(sender) ?? 0) - 1
    if (left > 0) this.#senders.set(sender, left)
    else this.#senders.delete(sender)
  }
}

/** A client and a person act by their own name; others are known by where they are. */
function senderOf(event: SecurityEvent, origin: Origin): string {
  if (isOfClient(event) && 'client_id' in event) return `client ${event.client_id}`
  return repeaterOf(event, origin) ?? siteOf(origin.address ?? '')
}
