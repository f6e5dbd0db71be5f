import type { Settings } from '../config/settings.ts'
import type { Endpoint } from '../core/endpoints.ts'
import type { Facts, Reason, RequestStep } from '../core/reasons.ts'
import { shellWord } from '../core/shell-word.ts'
import type { Storage } from '../storage/storage.ts'
import { ownersOf } from '../users/owners-of-subs.ts'
import { differencesOf, type NearDifference } from './compare.ts'
import { docsOf } from './docs.ts'
import { passedBefore } from './passed.ts'
import { parseRecord, type RefusalRecord } from './record.ts'
import { type ReasonLanguage, textOf } from './texts.ts'

/** Why a request was refused, in words. */
export interface Explanation {
  readonly id: string
  readonly at: string
  readonly trace_id?: string
  readonly endpoint: Endpoint
  readonly client_id?: string
  readonly reason: Reason
  /** What happened. */
  readonly sentence: string
  readonly received: Facts
  readonly expected: Facts
  readonly differences: readonly NearDifference[]
  readonly passed: readonly RequestStep[]
  readonly advice: string
  readonly docs: string
  /** How many more of this reason and client there were that are not kept. */
  readonly more: number
}

/** What it takes to find explanations. */
export interface ExplanationContext {
  readonly storage: Pick<Storage, 'bounded' | 'records'>
  readonly settings: Pick<Settings, 'explain_ttl'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Which of the last explanations are wanted. */
interface Wanted {
  readonly client_id?: string | undefined
  readonly limit: number
  readonly language: ReasonLanguage
}

/** How many are looked through for those of one client. */
export const LOOKED_THROUGH = 1000

/** Explains a record. */
export function explain(record: RefusalRecord, language: ReasonLanguage, more = 0): Explanation {
  const { received = {}, expected = {}, ...rest } = record
  const { endpoint, reason } = record
  const { what, advice } = textOf(reason, language)
  const { name } = received
  return {
    ...rest,
    sentence: what,
    received,
    expected,
    differences: differencesOf(received, expected),
    passed: passedBefore(endpoint, reason),
    advice: typeof name === 'string' ? advice.replaceAll('NAME', shellWord(name)) : advice,
    docs: docsOf(reason),
    more,
  }
}

/** Returns the explanation of a request; undefined: none is kept. @throws StorageUnavailable */
export async function findExplanation(
  context: ExplanationContext,
  id: string,
  language: ReasonLanguage,
): Promise<Explanation | undefined> {
  const [entry] = await context.storage.bounded.read('explanations', { name: id })
  const found = parseRecord(entry?.text ?? '')
  if (found === undefined || isOver(context, found)) return undefined
  const [record = found] = await named(context, [found])
  return explain(record, language, entry?.more)
}

/** Returns the last explanations, the newest first. @throws StorageUnavailable */
export async function listExplanations(
  context: ExplanationContext,
  { client_id, limit, language }: Wanted,
): Promise<Explanation[]> {
  const last = client_id === undefined ? limit : LOOKED_THROUGH
  const entries = await context.storage.bounded.read('explanations', { last })
  const found = entries
    .flatMap(({ text, more }) => {
      const record = parseRecord(text)
      return record === undefined ? [] : [{ record, more }]
    })
    .filter(({ record }) => !isOver(context, record))
    .filter(({ record }) => client_id === undefined || record.client_id === client_id)
    // Several servers write a moment after their answers, in batches.
    .sort((one, other) => Date.parse(other.record.at) - Date.parse(one.record.at))
    .slice(0, limit)
  const records = await named(
    context,
    found.map(({ record }) => record),
  )
  return records.map((record, i) => explain(record, language, found[i]?.more))
}

/** Adds the usernames that people have today: none is kept, so that it does not outlive its person. */
async function named(
  { storage }: ExplanationContext,
  records: readonly RefusalRecord[],
): Promise<RefusalRecord[]> {
  const subOf = ({ received }: RefusalRecord) =>
    typeof received?.sub === 'string' ? received.sub : undefined
  const owners = await ownersOf(storage, [...new Set(records.flatMap((record) => subOf(record) ?? []))])
  return records.map((record) => {
    const username = owners.get(subOf(record) ?? '')
    return username === undefined ? record : { ...record, received: { ...record.received, username } }
  })
}

/** Storage removes what is over with the next that is kept. */
function isOver({ settings, now }: ExplanationContext, { at }: RefusalRecord): boolean {
  return Date.parse(at) + settings.explain_ttl * 1000 <= now()
}
