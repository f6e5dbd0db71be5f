import { AdminError } from '../../src/admin/operation/problem.ts'
import { isObject } from '../../src/core/json.ts'
import { resourceId } from '../../src/core/resource-uri.ts'
import { allItems, type Calls } from '../calls.ts'
import type { RecordAnswer } from '../from-answer.ts'
import type { Declaration } from './declaration.ts'
import type { ApplyKind, ApplyStep } from './step.ts'

/** The field that names a record of each kind. */
const ID_OF = {
  client: 'client_id',
  user: 'username',
  resource: 'resource',
  detail_type: 'detail_type',
  issuer: 'issuer',
  application: 'application',
  provider: 'provider',
} as const satisfies Record<ApplyKind, string>
const KINDS = [
  'client',
  'issuer',
  'application',
  'provider',
  'resource',
  'detail_type',
  'user',
] as const satisfies readonly ApplyKind[]

/** Returns the removals of records that carry the label and are not in the file. */
export async function planRemovals(calls: Calls, declaration: Declaration): Promise<ApplyStep[]> {
  const removals: ApplyStep[] = []
  for (const kind of KINDS)
    for (const { name } of await undeclared(calls, kind, declaration)) {
      const params = { [ID_OF[kind]]: name } as Record<(typeof ID_OF)[ApplyKind], string>
      const planned = await unlessGone(calls.plan(`delete_${kind}`, { params }))
      const label = planned?.difference.find(({ field }) => field === 'managed_by')?.from
      // A record that another file has taken over in the meantime stays.
      if (planned === undefined || label !== declaration.label) continue
      const { version } = planned
      const write = () => calls.call(`delete_${kind}`, { params, version })
      removals.push({
        kind,
        name,
        action: 'remove',
        outcome: 'not_written',
        differences: [],
        ends: true,
        write,
      })
    }
  return removals
}

/** Returns the marks of clients that carry the label and are not in the file: the label alone would say that they are. */
export async function planMarks(calls: Calls, declaration: Declaration): Promise<ApplyStep[]> {
  const marks: ApplyStep[] = []
  for (const { name, record } of await clientsLeft(calls, declaration)) {
    if (fieldsOf(record).undeclared === true || fieldsOf(record).undeclared === 'true') continue
    const change = { params: { client_id: name }, body: { undeclared: true } }
    // Servers refuse a malformed one, and a mark would not help.
    const planned = await unlessGone(calls.plan('change_client', change), 'invalid_field')
    if (planned === undefined) continue
    const { version } = planned
    marks.push({
      kind: 'client',
      name,
      ends: false,
      differences: [{ field: 'undeclared', from: 'false', to: 'true' }],
      action: 'change',
      outcome: 'not_written',
      write: () => calls.call('change_client', { ...change, version }),
    })
  }
  return marks
}

async function clientsLeft(calls: Calls, declaration: Declaration): Promise<Left[]> {
  try {
    return await undeclared(calls, 'client', declaration)
  } catch (error) {
    // Whoever may not see clients declares none.
    const may_skip = error instanceof AdminError && error.code === 'missing_scope'
    if (may_skip && declaration.clients.length === 0) return []
    throw error
  }
}

interface Left {
  readonly name: string
  readonly record: RecordAnswer
}

/** Returns the records of a kind that carry the label of a file and are not in it. */
async function undeclared(calls: Calls, kind: ApplyKind, declaration: Declaration): Promise<Left[]> {
  const declared = new Set(namesOf(kind, declaration))
  const records: readonly RecordAnswer[] = await allItems(calls, `list_${kind}s`, {})
  return records
    .filter((record) => fieldsOf(record).managed_by === declaration.label)
    .map((record) => ({ name: String(record[ID_OF[kind]]), record }))
    .filter(({ name }) => !declared.has((kind === 'resource' && resourceId(name)) || name))
}

function namesOf(kind: ApplyKind, declaration: Declaration): string[] {
  if (kind === 'client') return declaration.clients.map(({ client_id }) => client_id)
  if (kind === 'user') return declaration.users.map(({ username }) => username)
  return declaration[`${kind}s`].map(({ id }) => id)
}

/** Of a malformed record, an answer has the fields as they are stored. */
function fieldsOf(record: RecordAnswer): RecordAnswer {
  return record.state === 'malformed' && isObject(record.fields) ? record.fields : record
}

/** Returns what is planned; undefined if the record is gone. */
async function unlessGone<T>(planning: Promise<T>, ...also: readonly string[]): Promise<T | undefined> {
  try {
    return await planning
  } catch (error) {
    if (error instanceof AdminError && ['not_found', ...also].includes(error.code)) return undefined
    throw error
  }
}
