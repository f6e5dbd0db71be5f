import type { Origin } from '../core/audit-entries.ts'
import { CHANGING_NOTHING, type EventName, type SecurityEvent } from '../core/events.ts'
import type { Trail, TrailPart } from '../storage/trail.ts'

/**
 * The parts of the trail: what changed something, and what anybody can repeat without end, in a place of its own, so that it
 * pushes out nothing of the first.
 */
export const PARTS = ['changes', 'repeated'] as const
export type TrailPartName = (typeof PARTS)[number]

/** Returns a part of the trail. */
export function partOf(trail: Trail, part: TrailPartName): TrailPart {
  return part === 'changes' ? trail : trail.repeated
}

/** How many of the entries that `AUDIT_MAX` bounds a part has at most. */
export function maxOf(part: TrailPartName, audit_max: number): number {
  const repeated = Math.floor(audit_max / 5)
  return part === 'repeated' ? repeated : audit_max - repeated
}

/** Those that change nothing, and that nobody can repeat at will: they stay with the changes. */
const KEPT_WITH_CHANGES: readonly EventName[] = [
  'short_secret_used',
  'provider_answered',
  'passkey_counter_reversed',
  'passkey_flag_changed',
  'user_viewed',
]
/** What clients do to their own records and tokens. */
const OF_CLIENTS: readonly EventName[] = [
  'token_revoked',
  'registration_changed',
  'signal_stream_changed',
  'code_replayed',
  'refresh_token_reused',
]

/** Whether a client causes an event with what is its own, however many addresses it has. */
export function isOfClient({ event }: SecurityEvent): boolean {
  return OF_CLIENTS.includes(event)
}

/** Whether anybody, or a client with its own things, can cause an event again and again: it is counted together. */
export function isRepeatable(about: SecurityEvent, { actor, channel }: Origin): boolean {
  const { event } = about
  if (isOfClient(about)) return actor === undefined && channel === 'protocol'
  return CHANGING_NOTHING.some((name) => name === event) && !KEPT_WITH_CHANGES.includes(event)
}

/** Ids of entries count on within a millisecond in each part; those of the second one are shown from here on. */
const FIRST_OF_REPEATED = 500_000
const NUMBER_DIGITS = 6

/** Returns the id of storage as readers see it: texts in their order, of which no two parts have the same. */
export function shownId(id: string, part: TrailPartName): string {
  const [ms, number] = partsOf(id)
  const shown = part === 'changes' ? number : number + FIRST_OF_REPEATED
  return `${ms}-${String(shown).padStart(NUMBER_DIGITS, '0')}`
}

/** Returns where the entry is whose id readers see so. */
export function placeOf(shown: string): { readonly part: TrailPartName; readonly id: string } {
  const [ms, number] = partsOf(shown)
  return number < FIRST_OF_REPEATED
    ? { part: 'changes', id: `${ms}-${number}` }
    : { part: 'repeated', id: `${ms}-${number - FIRST_OF_REPEATED}` }
}

/** Returns the bound that excludes in a part what is not after an id that readers see. */
export function afterIn(part: TrailPartName, shown: string): string {
  const [ms, number] = partsOf(shown)
  if (part === 'changes') return `${ms}-${number}`
  return number < FIRST_OF_REPEATED ? lastBefore(ms) : `${ms}-${number - FIRST_OF_REPEATED}`
}

/** Returns the bound that excludes in a part what is not before an id that readers see. */
export function beforeIn(part: TrailPartName, shown: string): string {
  const [ms, number] = partsOf(shown)
  return part === 'changes' ? `${ms}-${number}` : `${ms}-${Math.max(0, number - FIRST_OF_REPEATED)}`
}

/** The last id before a millisecond. */
export function lastBefore(ms: number): string {
  return ms <= 0 ? '0-0' : `${ms - 1}-${Number.MAX_SAFE_INTEGER}`
}

function partsOf(id: string): [ms: number, number: number] {
  const [ms = '', number = '0'] = id.split('-')
  return [Number(ms), Number(number)]
}
