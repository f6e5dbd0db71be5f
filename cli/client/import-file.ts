import { CLIENT_FIELDS, isClientId, secretHash } from '../../src/clients/client-record.ts'
import { isObject } from '../../src/core/json.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { Refusal } from '../errors.ts'
import { type EntryProblems, readJson } from '../import.ts'
import { nearestName } from '../nearest.ts'
import { secretProblem } from './secret.ts'

/** One client of an import file: the fields that it gives, as storage writes them. */
export interface Entry {
  index: number
  client_id: string
  set: Hash
  /** Fields that are there and could not be read; their problems are named already. */
  unread: ReadonlySet<string>
}

const LISTS: readonly string[] = [
  'redirect_uris',
  'allowed_scopes',
  'grant_types',
  'post_logout_redirect_uris',
]
const FLAGS: readonly string[] = [
  'is_public',
  'refresh_token_rotation',
  'can_introspect',
  'require_pkce',
  'first_party',
  'logout_ends_tokens',
  'disabled',
]
const FIELDS: readonly string[] = [...CLIENT_FIELDS, 'client_secret']

/**
 * The clients of an import file as far as they can be read; what cannot goes into `problems`.
 * @throws Refusal where the file is no JSON array
 */
export function readEntries(content: string, problems: EntryProblems): Entry[] {
  const seen = new Map<string, number>()
  const values = readJson(content)
  if (!Array.isArray(values)) throw new Refusal('The file must hold a JSON array of clients.')
  return values.flatMap((value, index) => {
    const entry = readEntry(value, index, problems)
    if (entry === undefined) return []
    const first = seen.get(entry.client_id)
    if (first !== undefined) {
      problems.add({ index, name: entry.client_id }, `client_id is in the file twice, first at [${first}]`)
      return []
    }
    seen.set(entry.client_id, index)
    return [entry]
  })
}

function readEntry(value: unknown, index: number, problems: EntryProblems): Entry | undefined {
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
  for (const [field, given] of Object.entries(value)) {
    // Other systems write null for what is not there.
    if (given === null) continue
    const read = readField(field, given)
    if ('problem' in read) {
      unread.add(field)
      problems.add(place, `${field} ${read.problem}`)
    } else fields.push([field, read.value])
  }
  if (!isClientId(client_id)) return undefined
  const { client_secret, ...set } = Object.fromEntries(fields)
  if (client_secret === undefined) return { index, client_id, set, unread }
  if (set.client_secret_hash) problems.add(place, 'client_secret and client_secret_hash exclude each other')
  return { index, client_id, set: { ...set, client_secret_hash: secretHash(client_secret) }, unread }
}

function readField(field: string, given: unknown): { value: string } | { problem: string } {
  if (!FIELDS.includes(field)) {
    const nearest = nearestName(field, FIELDS)
    return { problem: `is no field of a client${nearest === undefined ? '' : `: is ${nearest} meant?`}` }
  }
  if (FLAGS.includes(field) && typeof given === 'boolean') return { value: String(given) }
  if (LISTS.includes(field) && Array.isArray(given)) return readList(given)
  if (typeof given !== 'string') return { problem: `must be ${sayKind(field)}` }
  const problem = field === 'client_secret' ? secretProblem(given) : undefined
  return problem === undefined ? { value: given } : { problem }
}

function sayKind(field: string): string {
  if (FLAGS.includes(field)) return 'true or false'
  return LISTS.includes(field) ? 'an array of strings or a string' : 'a string'
}

function readList(given: readonly unknown[]): { value: string } | { problem: string } {
  const isWord = (entry: unknown) => typeof entry === 'string' && /^\S+$/.test(entry)
  return given.every(isWord)
    ? { value: given.join(' ') }
    : { problem: 'must be an array of strings that are not empty and have no white space' }
}
