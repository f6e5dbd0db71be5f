import type { Verification } from '../../src/admin/audit.ts'
import type { Calls } from '../calls.ts'
import { EXIT, ofSettings } from '../errors.ts'
import type { Report } from '../output.ts'

const WORDS: Readonly<Record<Verification['faults'][number]['fault'], string>> = {
  missing: 'is missing',
  changed: 'was changed',
  moved: 'is in another place',
  forged: 'is not signed with this key',
  repeated: 'is a copy of an earlier one',
  block_missing: 'does not follow the block before',
  block_changed: 'was changed',
}

const WHAT: Readonly<Record<Verification['parts'][number]['part'], string>> = {
  changes: 'What changed',
  repeated: 'What is refused or repeated',
}

/** The command `audit verify`. @throws UsageError without AUDIT_KEY; StorageUnavailable */
export async function verifyEntries({ call }: Calls): Promise<Report> {
  const { parts, faults } = await ofSettings(call('verify_events'))
  const lines = faults.map(
    ({ fault, id }) =>
      `The ${fault.startsWith('block') ? 'block of the chain' : 'entry'} ${id} ${WORDS[fault]}.`,
  )
  const facts = parts.flatMap(({ part, entries, unsealed, trimmed_before, head }) => [
    `${WHAT[part]}: ${entries} entries, of which ${unsealed} are not in the chain yet.`,
    ...(trimmed_before === undefined
      ? []
      : [`  Entries before ${trimmed_before} were deleted by AUDIT_MAX or AUDIT_DAYS.`]),
    ...(head === undefined ? [] : [`  The chain ends with ${head}.`]),
  ])
  const result = faults.length === 0 ? 'Nothing is missing or changed.' : lines.join('\n')
  return {
    text: [...facts, result].join('\n'),
    json: { ok: faults.length === 0, parts, faults },
    exit: faults.length === 0 ? EXIT.done : EXIT.refused,
  }
}
