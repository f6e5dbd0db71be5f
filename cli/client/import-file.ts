import { secretProblem } from '../../src/admin/clients/secret.ts'
import { CLIENT_FIELDS } from '../../src/clients/record/client-fields.ts'
import { isClientId } from '../../src/clients/record/client-record.ts'
import { secretHash } from '../../src/clients/record/client-secret.ts'
import type { FieldText } from '../../src/core/field-kinds.ts'
import type { FieldTable } from '../../src/core/field-table.ts'
import { isObject } from '../../src/core/json.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { membersOf } from '../file-members.ts'
import type { EntryProblems } from '../import.ts'
import { Seen } from '../seen.ts'

/** One client of a file. */
export interface Entry {
  /** The place in the file, as EntryProblems has it. */
  index: number
  client_id: string
  /** The fields in the file, as storage writes them. */
  set: Hash
  /** The secret in the file, of which `set` has the digest. */
  client_secret?: string
  /** Fields that could not be read; their problems are reported already. */
  unread: ReadonlySet<string>
}

const TABLE: FieldTable = CLIENT_FIELDS
const MEMBERS = {
  table: TABLE,
  others: ['client_secret'],
  aliases: { public: 'is_public' },
  noun: 'a client',
}

/**
 * Reads clients, each with its place. Adds the problems of entries that cannot be read to `problems`.
 * @param readSecret reads the member `client_secret`
 * @param seen the ids of the clients before
 */
export function readEntries(
  values: Iterable<[number, unknown]>,
  problems: EntryProblems,
  readSecret = readLiteralSecret,
  seen = new Seen(),
): Entry[] {
  return [...values].flatMap(([index, value]) => {
    const entry = readEntry(value, index, problems, readSecret)
    if (entry === undefined) return []
    const first = seen.first(entry.client_id, index)
    if (first !== undefined) {
      const place = { index, name: entry.client_id }
      problems.add(place, `client_id is in the file twice, first at ${problems.at(first)}`)
      return []
    }
    return [entry]
  })
}

function readEntry(
  value: unknown,
  index: number,
  problems: EntryProblems,
  readSecret: (given: unknown) => FieldText,
): Entry | undefined {
  if (!isObject(value)) {
    problems.add({ index, name: '' }, 'must be an object')
    return undefined
  }
  const client_id = typeof value.client_id === 'string' ? value.client_id : ''
  const place = { index, name: client_id }
  if (!isClientId(client_id)) {
    problems.add(place, 'client_id must be a string of 1 to 255 printable ASCII characters')
  }
  const fields: [string, string][] = []
  const unread = new Set<string>()
  for (const { field, name, given } of membersOf(value, MEMBERS, (problem) => problems.add(place, problem))) {
    const read = field === 'client_secret' ? readSecret(given) : TABLE[field]?.fromJson(given)
    if (read === undefined) continue
    if ('problem' in read) {
      unread.add(field === 'client_secret' ? 'client_secret_hash' : field)
      problems.add(place, `${name} ${read.problem}`)
    } else fields.push([field, read.text])
  }
  if (!isClientId(client_id)) return undefined
  const { client_secret, ...set } = Object.fromEntries(fields)
  if (client_secret === undefined) return { index, client_id, set, unread }
  if (set.client_secret_hash) problems.add(place, 'client_secret and client_secret_hash exclude each other')
  const client_secret_hash = secretHash(client_secret)
  return { index, client_id, set: { ...set, client_secret_hash }, client_secret, unread }
}

function readLiteralSecret(given: unknown): FieldText {
  if (typeof given !== 'string') return { problem: 'must be a string' }
  const problem = secretProblem(given)
  return problem === undefined ? { text: given } : { problem }
}
