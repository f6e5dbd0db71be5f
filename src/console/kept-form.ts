import { hash } from 'node:crypto'
import { OPERATIONS } from '../admin/operations.ts'
import { isObject, parseObject } from '../core/json.ts'
import { FieldReader } from '../core/record-hash.ts'
import type { Sealer } from '../keys/sealer.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import { CONSOLE_TTL } from './client.ts'
import { readTexts, type Texts } from './record-form.ts'

/** What a form says when it came too late to act, until its operator signed in again. There is one for each operator. */
interface KeptForm {
  /** Where it was, and what was typed, sealed. */
  readonly sealed: string
  /** Milliseconds since 1970. */
  readonly ends_at: number
}

const KEPT_FORM: Kind<KeptForm> = {
  name: 'console-form',
  ends_at: 'ends_at',
  format: ({ sealed, ends_at }) => ({ sealed, ends_at: String(ends_at) }),
  parse(stored) {
    const fields = new FieldReader(stored)
    const [sealed, ends_at] = [fields.required('sealed'), fields.required('ends_at')]
    if (fields.problems.length > 0) return { ok: false, problems: fields.problems }
    return { ok: true, record: { sealed, ends_at: Number(ends_at) } }
  },
}

export interface KeptFormContext {
  readonly storage: RecordStore
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long a form is kept, in seconds: a sign-in takes no longer. */
const KEPT_FOR = 1800
/** In UTF-16 code units: what is longer is not kept. */
const MAX_KEPT = 65_536
/** The name of the parameter of an address that asks for the form that was kept. */
export const KEPT = 'kept'

const membersOf = (schema: unknown): [string, unknown][] =>
  isObject(schema) && isObject(schema.properties) ? Object.entries(schema.properties) : []

/** The fields that are typed unseen, or pasted to be looked at once: they are never kept. */
const NEVER_KEPT: ReadonlySet<string> = new Set([
  ...['csrf', 'key', 'owner', 'token', 'q', 'password'],
  ...Object.values(OPERATIONS).flatMap(({ body }) =>
    membersOf(body).flatMap(([name, field]) => (isObject(field) && field.writeOnly === true ? [name] : [])),
  ),
])
/** Fields in which a form of several steps carries others. */
const CARRIERS: readonly string[] = ['typed', 'before']

/** Returns what says in a form whose it is: without it nobody has a form kept. @throws StorageUnavailable */
export function ownerToken({ sealer, now }: Omit<KeptFormContext, 'storage'>, username: string): string {
  return sealer.seal('console-form', JSON.stringify({ username, ends_at: now() + CONSOLE_TTL * 1000 }))
}

/** Returns whose a form is; undefined: nobody's, or it is too old. @throws StorageUnavailable */
export function ownerOf(
  { sealer, now }: Omit<KeptFormContext, 'storage'>,
  { owner = '' }: Texts,
): string | undefined {
  const { username, ends_at } = parseObject(sealer.open('console-form', owner) ?? '') ?? {}
  return typeof username === 'string' && Number(ends_at) > now() ? username : undefined
}

/** Returns what may be kept of a form: what was typed, without secrets. */
export function keepable(form: Texts): Texts {
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, text]) => {
      if (NEVER_KEPT.has(name)) return []
      const carried = CARRIERS.includes(name) ? parseObject(text ?? '') : undefined
      if (carried === undefined) return [[name, text]]
      const shown = Object.entries(carried).filter(([member]) => !NEVER_KEPT.has(member))
      return [[name, JSON.stringify(Object.fromEntries(shown))]]
    }),
  )
}

/**
 * Keeps a form for its operator, in place of one before. Returns whether it did: a form that is too long is not kept.
 * @param path of the form, below the console
 * @throws StorageUnavailable
 */
export async function keepForm(
  { storage, sealer, now }: KeptFormContext,
  username: string,
  path: string,
  form: Texts,
): Promise<boolean> {
  const text = JSON.stringify({ username, path, form: keepable(form) })
  if (text.length > MAX_KEPT) return false
  const record = { sealed: sealer.seal('console-form', text), ends_at: now() + KEPT_FOR * 1000 }
  await storage.records.put(write(KEPT_FORM, idOf(username), record, KEPT_FOR))
  return true
}

/**
 * Returns what an operator typed into a form that came too late; undefined: nothing is kept of one at this path. It stays,
 * so that the page can be opened again.
 * @throws StorageUnavailable
 */
export async function findKeptForm(
  { storage, sealer }: KeptFormContext,
  username: string,
  path: string,
): Promise<Texts | undefined> {
  const found = recordOf(await storage.records.read(KEPT_FORM, idOf(username)))
  const kept = parseObject((found && sealer.open('console-form', found.sealed)) ?? '') ?? {}
  if (kept.username !== username || kept.path !== path) return undefined
  return readTexts(JSON.stringify(kept.form))
}

/** Names may be long, and of any script. */
const idOf = (username: string) => hash('sha256', username, 'base64url')
