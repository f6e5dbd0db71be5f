import type { Field, FieldText } from '../../src/core/field-kinds.ts'
import { textOf } from '../../src/core/field-table.ts'
import { isObject } from '../../src/core/json.ts'
import { FieldReader, type Hash } from '../../src/core/record-hash.ts'
import { foldName, nameForm } from '../../src/core/visible-text.ts'
import { readClaims } from '../../src/users/claims-json.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import { isUsername, USERNAME_RULE } from '../../src/users/user-record.ts'
import { membersOf } from '../file-members.ts'
import type { EntryProblems } from '../import.ts'
import { Seen } from '../seen.ts'
import { CLAIM_FLAGS } from './claims.ts'

/** One user of a file. */
export interface UserEntry {
  /** The place in the file, as EntryProblems has it. */
  index: number
  username: string
  /** The fields of the record, without generated ones: a missing sub, and the hash of `password`. */
  fields: Hash
  /** The names of its members in the file. */
  given: ReadonlySet<string>
  password?: string
}

const MEMBERS = {
  table: USER_FIELDS,
  others: ['username', 'password', 'claims', ...CLAIM_FLAGS],
  noun: 'a user',
}

/**
 * Reads users, each with its place. Adds the problems of entries that cannot be read to `problems`.
 * @param readPassword reads the member `password`
 * @param seen the names of the users before
 */
export function readEntries(
  values: Iterable<[number, unknown]>,
  problems: EntryProblems,
  readPassword = readLiteralPassword,
  seen = new Seen(),
): UserEntry[] {
  const entries: UserEntry[] = []
  for (const [index, value] of values) {
    const name = isObject(value) && typeof value.username === 'string' ? value.username : ''
    const fail = (problem: string) => problems.add({ index, name }, problem)
    const entry = readEntry(index, value, fail, readPassword)
    if (entry === undefined) continue
    for (const [place, said] of collisions(entry, seen)) fail(`${said} ${problems.at(place)}`)
    entries.push(entry)
  }
  return entries
}

/** Returns what another user of the file has, too, with the place of that one. */
function collisions({ index, username, fields }: UserEntry, seen: Seen): [place: number, said: string][] {
  const twice = seen.first(`username ${username}`, index)
  const alike = seen.first(`alike ${foldName(username)}`, index)
  const sub = fields.sub ? seen.first(`sub ${fields.sub}`, index) : undefined
  return [
    ...(twice !== undefined
      ? [[twice, 'its username is in the file twice, first at'] as [number, string]]
      : []),
    ...(twice === undefined && alike !== undefined
      ? [[alike, 'people take its username for that at'] as [number, string]]
      : []),
    ...(sub !== undefined ? [[sub, 'its sub is in the file twice, first at'] as [number, string]] : []),
  ]
}

function readEntry(
  index: number,
  value: unknown,
  fail: (problem: string) => void,
  readPassword: (given: unknown) => FieldText,
): UserEntry | undefined {
  if (!isObject(value)) {
    fail('must be an object')
    return undefined
  }
  const members = membersOf(value, MEMBERS, fail)
  const given: Record<string, unknown> = Object.fromEntries(members.map(({ field, given }) => [field, given]))
  const { password } = given
  const username = typeof given.username === 'string' ? nameForm(given.username) : ''
  if (!isUsername(username)) {
    fail(`username must be a text of ${USERNAME_RULE}`)
    return undefined
  }
  if (password !== undefined && given.password_hash !== undefined) {
    fail('password and password_hash exclude each other')
  }
  const claims = CLAIM_FLAGS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))
  const fields = {
    ...readClaimsMember(given.claims, fail),
    ...readClaims(Object.fromEntries(claims), fail),
    ...readOwnFields(given, fail),
  }
  const entry = { index, username, fields, given: new Set(Object.keys(given)) }
  if (password === undefined) return entry
  const read = readPassword(password)
  if ('text' in read) return { ...entry, password: read.text }
  fail(`password ${read.problem}`)
  return entry
}

function readLiteralPassword(password: unknown): FieldText {
  return typeof password === 'string' ? { text: password } : { problem: 'must be a text' }
}

function readClaimsMember(claims: unknown, fail: (problem: string) => void): Hash {
  if (claims === undefined) return {}
  if (isObject(claims)) return readClaims(claims, fail)
  fail('claims must be an object')
  return {}
}

function readOwnFields(given: Readonly<Record<string, unknown>>, fail: (problem: string) => void): Hash {
  const fields: Record<string, string> = {}
  for (const [name, field] of Object.entries<Field<unknown>>(USER_FIELDS)) {
    if (given[name] === undefined) continue
    const read = field.fromJson(given[name])
    const problem = 'problem' in read ? read.problem : textProblem(field, read.text)
    if (problem !== undefined) fail(`${name} ${problem}`)
    else if ('text' in read && read.text !== textOf(field, field.default)) fields[name] = read.text
  }
  return fields
}

function textProblem(field: Field<unknown>, text: string): string | undefined {
  const fields = new FieldReader({ field: text })
  const value = field.read(fields, 'field')
  return fields.problems[0]?.problem ?? (value === undefined ? 'must not be empty' : undefined)
}
