import { parseJson } from '../../src/core/json.ts'
import type { Calls } from '../calls.ts'
import type { RecordAnswer } from '../from-answer.ts'

/** The words of a list in an answer; empty if it is absent. */
export const wordsIn = (answer: RecordAnswer, member: string): readonly string[] =>
  Array.isArray(answer[member]) ? answer[member].map(String) : []

/** The settings of the server whose records are read, by their names. */
export async function settingsAt({ call }: Calls): Promise<ReadonlyMap<string, unknown>> {
  const { items } = await call('read_settings')
  return new Map(items.map(({ name, value }) => [name, value === undefined ? undefined : parseJson(value)]))
}
