import type { Part } from '../../src/audit/parts.ts'
import { type Fault, verifyTrail } from '../../src/audit/verify.ts'
import type { CommandContext } from '../command-context.ts'
import { EXIT, UsageError } from '../errors.ts'
import type { Report } from '../output.ts'

const WORDS: Readonly<Record<Fault, string>> = {
  missing: 'is missing',
  changed: 'was changed',
  moved: 'is in another place',
  forged: 'is not signed with this key',
  repeated: 'is a copy of an earlier one',
  block_missing: 'does not follow the block before',
  block_changed: 'was changed',
}

const WHAT: Readonly<Record<Part, string>> = {
  changes: 'What changed',
  repeated: 'What is refused or repeated',
}

/** The command `audit verify`. @throws UsageError without AUDIT_KEY; StorageUnavailable */
export async function verifyEntries({ storage, config }: CommandContext): Promise<Report> {
  const { audit_key } = config.settings
  if (audit_key === undefined)
    throw new UsageError('Set AUDIT_KEY to that of the servers: it signs the entries.')
  await storage.trail.collect()
  const verified = await verifyTrail(storage, audit_key)
  const { parts, faults } = verified
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
    json: { ok: faults.length === 0, ...verified },
    exit: faults.length === 0 ? EXIT.done : EXIT.refused,
  }
}
