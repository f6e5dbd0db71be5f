import { insertClient } from '../../src/admin/clients/create.ts'
import { declaredChange } from '../../src/admin/clients/declared.ts'
import { clientChange } from '../../src/admin/clients/events.ts'
import { OLD_SECRET_FIELDS } from '../../src/admin/clients/secret.ts'
import { applyChange } from '../../src/admin/operation/apply-change.ts'
import { guarded } from '../../src/admin/operation/compare.ts'
import { keyProblems } from '../../src/clients/keys/key-problems.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { parseClient, registrationProblems } from '../../src/clients/record/client-record.ts'
import { commit } from '../../src/core/commit.ts'
import { present } from '../../src/core/present.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import type { Entry } from '../client/import-file.ts'
import type { CommandContext } from '../run.ts'
import { type ApplyStep, type Ownership, ownershipProblem } from './step.ts'

/** The fields that redmint sets by itself. */
const OWN_FIELDS: readonly string[] = [
  'client_secret_created_at',
  ...OLD_SECRET_FIELDS,
  'keys_refreshed_at',
  'grants_end_before',
  'tokens_end_before',
  'demo',
  'managed_by',
  'undeclared',
]
const NAMES = [
  ...Object.keys(CLIENT_FIELDS).filter((name) => !OWN_FIELDS.includes(name)),
  // Who is declared again loses the mark.
  ...['managed_by', 'undeclared'],
]

type ClientContext = Pick<CommandContext, 'storage' | 'report' | 'now'>

/** Returns the work for a declared client; reports problems to `fail`. */
export async function planClient(
  context: ClientContext,
  entry: Entry,
  own: Ownership,
  fail: (problem: string) => void,
): Promise<ApplyStep> {
  const { client_id } = entry
  const { records } = context.storage
  const stored = (await records.read(CLIENT, client_id))?.hash
  const declared = { ...entry, set: { ...entry.set, managed_by: own.label } }
  const { differences, set, unset, client_secret } = declaredChange(declared, stored, NAMES, context.now())
  const owner = stored === undefined ? undefined : ownershipProblem(stored.managed_by, own)
  if (owner !== undefined) fail(owner)
  else
    problemsOf(entry, applyChange(stored ?? {}, { set, unset }))
      .map(describeProblem)
      .forEach(fail)
  const step = present({ kind: 'client' as const, name: client_id, ends: false, differences, client_secret })
  if (stored === undefined) {
    const write = async () => {
      return (await insertClient(context, client_id, set)) === 'ok' ? 'done' : 'not_written'
    }
    return { ...step, action: 'create', outcome: 'not_written', write }
  }
  if (differences.length === 0) return { ...step, action: 'unchanged', outcome: 'done' }
  const write = () => writeChange(context, client_id, stored, { set, unset })
  return { ...step, action: 'change', outcome: 'not_written', write }
}

/** Returns the mark of a client that its file does not declare any more; undefined: it has it. */
export function planMark(context: ClientContext, client_id: string, stored: Hash): ApplyStep | undefined {
  if (stored.undeclared === 'true') return undefined
  return {
    kind: 'client',
    name: client_id,
    ends: false,
    differences: [{ field: 'undeclared', from: 'false', to: 'true' }],
    action: 'change',
    outcome: 'not_written',
    write: () => writeChange(context, client_id, stored, { set: { undeclared: 'true' }, unset: [] }),
  }
}

async function writeChange(
  context: ClientContext,
  client_id: string,
  stored: Hash,
  change: Parameters<typeof guarded>[1],
): Promise<'done' | 'not_written'> {
  const { events, about } = clientChange(client_id, stored, applyChange(stored, change))
  const changed = await commit(context, events, about, (told) =>
    context.storage.records.change(CLIENT, client_id, { ...guarded(stored, change), told }),
  )
  return changed === 'missing' ? 'not_written' : 'done'
}

function problemsOf({ client_id, set: given, unread }: Entry, hash: Hash): FieldProblem[] {
  const own = OWN_FIELDS.filter((name) => given[name] !== undefined)
  const parsed = parseClient(client_id, hash)
  // The label is that of the file, and was checked there.
  const known = new Set([...unread, 'managed_by'])
  const malformed = parsed.ok ? [] : parsed.problems.filter(({ field }) => !known.has(field))
  return [
    ...own.map((field) => ({ field, problem: 'cannot be declared: redmint sets it' })),
    ...registrationProblems(given),
    ...keyProblems(hash),
    ...malformed,
  ]
}
