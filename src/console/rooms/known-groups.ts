import type { Desk } from '../desk.ts'
import { lineEnds } from '../record-form.ts'

/** Returns the groups that people are in, as a server counted them: empty if it has not, or if the operator may not know. */
export async function knownGroups(desk: Desk): Promise<readonly string[]> {
  if (!desk.may('list_groups') || desk.refusal('list_groups') !== undefined) return []
  const { body } = await desk.ask('list_groups')
  return body.items.map(({ group }) => group).sort()
}

/** Returns the entries of a list, as a form sends it: one in each line. */
export const linesIn = (typed: string | undefined): readonly string[] => [
  ...new Set(
    lineEnds(typed ?? '')
      .split('\n')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
]
