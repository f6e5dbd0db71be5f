import { defaultFields } from '../../../src/admin/clients/defaults.ts'
import { newSecret, OLD_SECRET_FIELDS, secretFields } from '../../../src/admin/clients/secret.ts'
import { applyChange } from '../../../src/admin/operation/apply-change.ts'
import { keyProblems } from '../../../src/clients/keys/key-problems.ts'
import { formatClient, parseClient, registrationProblems } from '../../../src/clients/record/client-record.ts'
import { hasSecretlessMethod } from '../../../src/clients/record/profiles.ts'
import { describeProblem, type Hash } from '../../../src/core/record-hash.ts'
import type { Change } from '../../../src/storage/records.ts'
import { newSub } from '../../../src/users/new-user.ts'
import { type Entry, readEntries as readClients } from '../../client/import-file.ts'
import { EntryProblems } from '../../import.ts'
import { readEntries as readUsers } from '../../user/import-file.ts'
import type { Incoming } from '../import.ts'
import type { Converted } from './converted.ts'

/** A secret that was made for a client, because the file has none. */
export interface NewSecret {
  readonly client_id: string
  readonly client_secret: string
}

/**
 * Returns a record of another system as one to import. It is read as `client import` and `user import` read theirs.
 * @param now milliseconds since 1970
 * @param made gets the secret of each client that is created with a new one
 */
export function incomingOf(converted: Converted, now: number, made: (secret: NewSecret) => void): Incoming {
  return converted.kind === 'client' ? incomingClient(converted, now, made) : incomingUser(converted)
}

/**
 * Returns the change that a file makes: a confidential client without a secret gets one, and a client that becomes public
 * loses its secret.
 */
function withSecret(
  entry: Pick<Entry, 'set'>,
  stored: Hash | undefined,
  now: number,
): { change: Change; client_secret?: string } {
  const fields = { ...stored, ...entry.set }
  const { is_public, client_secret_hash } = fields
  if (is_public === 'true') {
    const unset = ['client_secret_hash', 'client_secret_created_at', ...OLD_SECRET_FIELDS]
    return { change: { set: entry.set, unset: unset.filter((field) => !entry.set[field]) } }
  }
  if (entry.set.client_secret_hash) {
    // It is not known when a secret in the file was made, unless the file says so.
    const unset = entry.set.client_secret_created_at ? [] : ['client_secret_created_at']
    return { change: { set: entry.set, unset: stored === undefined ? [] : unset } }
  }
  // The client has a secret, or needs none.
  if (client_secret_hash || hasSecretlessMethod(fields)) return { change: { set: entry.set, unset: [] } }
  const client_secret = newSecret()
  return {
    change: { set: { ...secretFields(client_secret, now), ...entry.set }, unset: [] },
    client_secret,
  }
}

function incomingClient(
  { place, id, members }: Converted,
  now: number,
  made: (secret: NewSecret) => void,
): Incoming {
  const found = new EntryProblems()
  const [entry] = readClients([[0, members]], found)
  const record = { place, kind: 'client', id } as const
  if (entry === undefined) return { ...record, content: { fields: {} }, problems: found.texts }
  const set = { ...entry.set, ...defaultFields(entry.set) }
  const fieldsOn = (stored: Hash | undefined) => {
    const { change, client_secret } = withSecret({ set }, stored && secretsOf(stored), now)
    const parsed = parseClient(id, applyChange(stored === undefined ? {} : secretsOf(stored), change))
    const fields = parsed.ok ? formatClient(parsed.record) : set
    return { fields, client_secret, problems: parsed.ok ? [] : parsed.problems }
  }
  const { fields, problems } = fieldsOn(undefined)
  const said = [...problems, ...registrationProblems(set), ...keyProblems(set)].map(describeProblem)
  let client_secret: string | undefined
  return {
    ...record,
    content: { fields },
    problems: [...found.texts, ...said],
    complete(stored) {
      const complete = fieldsOn(stored?.fields)
      client_secret = complete.client_secret
      return { fields: complete.fields }
    },
    created() {
      if (client_secret !== undefined) made({ client_id: id, client_secret })
    },
  }
}

/** The secrets of a client that is here already: one that the file does not have stays. */
function secretsOf(stored: Hash): Hash {
  return Object.fromEntries(
    Object.entries(stored).filter(([name]) => /^(client_secret|old_secret)_/.test(name)),
  )
}

function incomingUser({ place, id, members, factors }: Converted): Incoming {
  const found = new EntryProblems()
  const [entry] = readUsers([[0, members]], found)
  const more = factors === undefined ? {} : { factors }
  const { username, fields }: { username: string; fields: Hash } = entry ?? { username: id, fields: {} }
  const content = { fields: { sub: newSub(), ...fields }, ...more }
  const record = { place, kind: 'user', id: username, problems: found.texts } as const
  if (fields.sub !== undefined) return { ...record, content }
  return {
    ...record,
    content,
    complete: (stored) => ({ ...content, fields: { ...content.fields, ...subOf(stored?.fields) } }),
  }
}

const subOf = ({ sub }: Hash = {}): Hash => (sub === undefined ? {} : { sub })
