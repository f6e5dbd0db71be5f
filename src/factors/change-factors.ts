import { commit } from '../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../core/events.ts'
import { describeProblem, type Hash } from '../core/record-hash.ts'
import { write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { USER } from '../users/user-kind.ts'
import { FACTORS, type Factors, formatFactors, NO_FACTORS } from './factors-record.ts'

/** What it takes to read and change factors. */
export interface FactorsContext {
  readonly storage: RecordStore
}

/** The factors of a person, and the stored fields that say so. */
export interface FoundFactors {
  readonly factors: Factors
  /** Empty: there is no record. */
  readonly hash: Hash
}

/**
 * Reads what a person has besides, or instead of, a password.
 * @throws StorageUnavailable; Error if the record is malformed, because nobody may sign in without a step that it may have
 */
export async function findFactors({ storage }: FactorsContext, username: string): Promise<FoundFactors> {
  const found = await storage.records.read(FACTORS, username)
  if (found === undefined) return { factors: NO_FACTORS, hash: {} }
  if (found.ok) return { factors: found.record, hash: found.hash }
  throw new Error(
    `The factors of ${username} are malformed: ${found.problems.map(describeProblem).join('; ')}`,
  )
}

/**
 * Changes the factors of a person in one atomic step, and counts their generation up.
 * @param change the factors as they become; undefined: they stay. It is asked anew if another change was first
 * @param eventsOf returns the events of the change
 * @returns the factors as they became; undefined: they stayed
 * @throws as findFactors
 */
export async function changeFactors(
  context: FactorsContext & { readonly report: ReportEvent },
  username: string,
  change: (factors: Factors) => Factors | undefined,
  eventsOf: (former: Factors, present: Factors) => readonly SecurityEvent[] = () => [],
): Promise<Factors | undefined> {
  const { records } = context.storage
  for (;;) {
    const { factors, hash } = await findFactors(context, username)
    const wanted = change(factors)
    if (wanted === undefined) return undefined
    const changed = { ...wanted, generation: factors.generation + 1 }
    const events = eventsOf(factors, changed)
    const sub = events.length === 0 ? undefined : await subForTrail(context, username)
    const outcome = await commit(context, events, { sub }, (told) => {
      if (Object.keys(hash).length === 0)
        return records.create({ ...write(FACTORS, username, changed), told })
      // Only what differs: a code that is accepted meanwhile writes other fields.
      const [before, after] = [formatFactors(factors), formatFactors(changed)]
      const set = Object.fromEntries(Object.entries(after).filter(([field, text]) => before[field] !== text))
      const unset = Object.keys(before).filter((field) => !Object.hasOwn(after, field))
      const { generation = '' } = hash
      return records.change(FACTORS, username, { set, unset, expected: { generation }, told })
    })
    if (outcome === 'ok') return changed
  }
}

/** Returns the sub of a person for the audit trail; undefined also if there is none. @throws StorageUnavailable */
export async function subForTrail(
  { storage, report }: FactorsContext & { readonly report: ReportEvent },
  username: string,
): Promise<string | undefined> {
  if (report.entriesOf === undefined) return undefined
  return (await storage.records.read(USER, username, { fields: ['sub'] }))?.hash.sub
}
