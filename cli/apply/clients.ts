import { keyProblems } from '../../src/clients/keys/key-problems.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { parseClient, registrationProblems } from '../../src/clients/record/client-record.ts'
import { secretHash } from '../../src/clients/record/client-secret.ts'
import { hasSecretlessMethod } from '../../src/clients/record/profiles.ts'
import { present } from '../../src/core/present.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import { applyChange } from '../apply-change.ts'
import { authenticatesOtherwise, defaultFields } from '../client/defaults.ts'
import { reportClientChange } from '../client/events.ts'
import type { Entry } from '../client/import-file.ts'
import { newSecret, OLD_SECRET_FIELDS } from '../client/secret.ts'
import type { CommandContext } from '../run.ts'
import { compare, guarded } from './compare.ts'
import { type ApplyStep, type Difference, type Ownership, ownershipProblem } from './step.ts'

const SECRET_FIELDS: readonly string[] = ['client_secret_created_at', ...OLD_SECRET_FIELDS]
/** The fields that redmint sets by itself. */
const OWN_FIELDS: readonly string[] = [...SECRET_FIELDS, 'keys_refreshed_at', 'grants_end_before', 'demo', 'managed_by']

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
  const declared = { ...entry, set: { ...entry.set, ...defaultFields(entry.set) } }
  const client_secret = lacksSecret(declared, stored) ? newSecret() : undefined
  if (client_secret !== undefined) declared.set.client_secret_hash = secretHash(client_secret)
  const { differences, set, unset } = difference(declared, stored ?? {}, own.label, context.now)
  const owner = stored === undefined ? undefined : ownershipProblem(stored.managed_by, own)
  if (owner !== undefined) fail(owner)
  else
    problemsOf(declared, applyChange(stored ?? {}, { set, unset }))
      .map(describeProblem)
      .forEach(fail)
  const step = present({ kind: 'client' as const, name: client_id, ends: false, differences, client_secret })
  if (stored === undefined) {
    const write = async () => {
      if ((await records.create({ kind: CLIENT, id: client_id, hash: set })) === 'exists')
        return 'not_written'
      context.report({ event: 'client_added', client_id })
      return 'done'
    }
    return { ...step, action: 'create', outcome: 'not_written', write }
  }
  if (differences.length === 0) return { ...step, action: 'unchanged', outcome: 'done' }
  const write = async () => {
    const changed = await records.change(CLIENT, client_id, guarded(stored, { set, unset }))
    if (changed === 'missing') return 'not_written'
    reportClientChange(context.report, client_id, stored, applyChange(stored, { set, unset }))
    return 'done'
  }
  return { ...step, action: 'change', outcome: 'not_written', write }
}

// A client that needs a secret, and has none, gets one: the file need not name it.
function lacksSecret({ set: given, unread }: Entry, stored: Hash = {}): boolean {
  const secret = given.client_secret_hash ?? stored.client_secret_hash
  return (
    !secret &&
    !unread.has('client_secret_hash') &&
    given.is_public !== 'true' &&
    !authenticatesOtherwise(given)
  )
}

// A secret that the file does not name stays, as does a client that an operator disabled in an emergency.
function difference({ client_id, set: given }: Entry, stored: Hash, label: string, now: number) {
  const has_secret = given.is_public !== 'true' && !hasSecretlessMethod(given)
  const kept = [
    ...(!has_secret || given.client_secret_hash ? [] : ['client_secret_hash']),
    ...(given.disabled === undefined ? ['disabled'] : []),
    ...OWN_FIELDS,
  ]
  const names = Object.keys(CLIENT_FIELDS).filter((name) => !kept.includes(name))
  const declared = { ...given, client_id, client_name: given.client_name || client_id, managed_by: label }
  const { differences, set, unset } = compare(CLIENT_FIELDS, [...names, 'managed_by'], stored, declared)
  if (set.client_secret_hash) set.client_secret_created_at = new Date(now).toISOString()
  if (!has_secret || set.client_secret_hash) {
    unset.push(...SECRET_FIELDS.filter((name) => stored[name] !== undefined && set[name] === undefined))
  }
  return { differences: differences.map(withoutSecret), set, unset }
}

function withoutSecret(found: Difference): Difference {
  return found.field === 'client_secret_hash' ? { field: 'secret' } : found
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
