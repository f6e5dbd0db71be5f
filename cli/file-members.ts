import type { FieldTable } from '../src/core/field-table.ts'
import { nearestName } from '../src/core/nearest.ts'
import { flagFields } from './field-flags.ts'

/** A member of a record in a file: the field that it sets, and how the file names it. */
interface Member {
  readonly field: string
  readonly name: string
  readonly given: unknown
}

interface Vocabulary {
  readonly table: FieldTable
  /** Members that are no fields of the table. */
  readonly others?: readonly string[]
  /** Further names of fields and members. */
  readonly aliases?: Readonly<Record<string, string>>
  /** What the record is of: "a client". */
  readonly noun: string
}

/**
 * Reads the members of a record in a file. A field has two names: that of the record, and that of the flag that sets it,
 * without leading dashes. Members that are null are left out, as other systems write them for a missing value, unless an
 * empty field means something else than a missing one.
 * @param fail gets the problem of each member that sets no field, or sets one for the second time
 */
export function membersOf(
  value: Readonly<Record<string, unknown>>,
  { table, others = [], aliases = {}, noun }: Vocabulary,
  fail: (problem: string) => void,
): Member[] {
  const names = [...Object.keys(table), ...others]
  const flags = new Map(flagFields(table).map(({ set, name }) => [set, name]))
  for (const [alias, name] of Object.entries(aliases)) flags.set(alias, name)
  const seen = new Map<string, string>()
  return Object.entries(value).flatMap(([name, given]) => {
    const field = names.includes(name) ? name : flags.get(name)
    const { shown, empty } = table[field ?? ''] ?? {}
    if (given === null) {
      if (empty !== undefined) fail(`${name} is null: leave it out for ${shown}, or give [] for ${empty}`)
      return []
    }
    if (field === undefined) {
      const nearest = nearestName(name, names) ?? nearestName(name, [...flags.keys()])
      fail(`${name} is not a field of ${noun}${nearest === undefined ? '' : `: did you mean ${nearest}?`}`)
      return []
    }
    const first = seen.get(field)
    if (first !== undefined) fail(`${first} and ${name} are the same field: give one of them`)
    seen.set(field, name)
    return [{ field, name, given }]
  })
}
