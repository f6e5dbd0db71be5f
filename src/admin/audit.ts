import { type Static, Type } from '@sinclair/typebox'
import { AuditEntry } from '../audit/entry.ts'
import { EVENT_ACTORS } from '../audit/event-actors.ts'
import { PARTS, type TrailPartName } from '../audit/parts.ts'
import { entryOf, pageOfEntries } from '../audit/read-entries.ts'
import { FAULTS, type TrailFault, type TrailVerification, verifyTrail } from '../audit/verify.ts'
import type { Storage } from '../storage/storage.ts'
import { DEFAULT_LIMIT } from './operation/list.ts'
import { byName, operation } from './operation/operation.ts'
import { AdminError } from './operation/problem.ts'

const Filter = Type.Object({
  actor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'a sub, a client_id, or a kind of actor' }),
  ),
  client_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the client that caused it, or that it is about',
    }),
  ),
  username: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'the same for a user who exists' }),
  ),
  changed_by: Type.Optional(
    Type.Unsafe<'operators'>(
      Type.String({
        enum: ['operators'],
        description: 'only what was changed by the console, the admin API or the command',
      }),
    ),
  ),
  event: Type.Optional(Type.String({ enum: Object.keys(EVENT_ACTORS) })),
  id: Type.Optional(
    Type.String({ pattern: '^\\d{1,15}-\\d{1,15}$', description: 'only the entry with this id' }),
  ),
  request_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'only what this request caused' }),
  ),
  since: Type.Optional(Type.String({ maxLength: 40, description: 'in ISO 8601: nothing older' })),
  order: Type.Optional(Type.String({ enum: ['newest', 'oldest'], description: 'which comes first' })),
})

const Entries = Type.Object(
  {
    items: Type.Array(AuditEntry),
    next: Type.Optional(
      Type.String({ description: 'a page may have fewer items than its limit, or none, and another follow' }),
    ),
  },
  { $id: 'redmint:AuditEntries', additionalProperties: false },
)
export type Entries = Static<typeof Entries>

const list = operation({
  name: 'list_events',
  summary: 'The audit trail: who changed what, and who signed in; the newest first',
  method: 'GET',
  path: '/events',
  scope: 'redmint:server:read',
  query: Filter,
  answer: Entries,
  needs: { page: true },
  refusal: ({ audit }) => (audit === 'off' ? 'There is no audit trail: set AUDIT to on.' : undefined),
  async run({ storage }, { query, cursor, limit = DEFAULT_LIMIT }) {
    const { since, order, id, ...filter } = query
    if (id !== undefined) return { body: { items: [...(await entryOf(storage, id))] } }
    const oldest_first = order === 'oldest'
    const from = since === undefined ? undefined : Date.parse(since)
    if (Number.isNaN(from))
      throw new AdminError('invalid_request', 'The parameter since must be a time in ISO 8601.')
    const { items, next } = await pageOfEntries(
      storage,
      { ...filter, since: from },
      { cursor, limit, oldest_first },
    )
    const { username, actor } = filter
    const shows =
      items.length > 0 && username !== undefined
        ? username
        : items.find((entry) => entry.actor.id === actor)?.actor.username
    return { body: { items: [...items], ...(next !== undefined && { next }) }, shows }
  },
})

const Verification = Type.Object(
  {
    parts: Type.Array(
      Type.Object({
        part: Type.Unsafe<TrailPartName>(Type.String({ enum: [...PARTS] })),
        entries: Type.Integer({ description: 'how many were looked at' }),
        unsealed: Type.Integer({ description: 'how many of them are not in the chain yet' }),
        trimmed_before: Type.Optional(Type.String({ description: 'the first entry that retention kept' })),
        head: Type.Optional(
          Type.String({
            description:
              'the signature of the last block: noted elsewhere, it shows later that the end was not cut off',
          }),
        ),
      }),
    ),
    faults: Type.Array(
      Type.Object({ fault: Type.Unsafe<TrailFault>(Type.String({ enum: [...FAULTS] })), id: Type.String() }),
      { description: 'what is wrong with which entry; empty: nothing is missing or changed' },
    ),
  },
  { $id: 'redmint:AuditVerification', additionalProperties: false },
)

export type Verification = Static<typeof Verification>

/** What is being verified: it reads and remembers a whole trail, once for all who ask meanwhile. */
const running = new WeakMap<Storage, Promise<TrailVerification>>()

async function verified(storage: Storage, key: string): Promise<TrailVerification> {
  const verifying = async () => {
    await storage.trail.collect()
    return verifyTrail(storage, key)
  }
  const known = running.get(storage)
  if (known !== undefined) return known
  const started = verifying().finally(() => running.delete(storage))
  running.set(storage, started)
  return started
}

const verify = operation({
  name: 'verify_events',
  summary: 'Compare all entries of the audit trail with their signatures and their chain',
  method: 'GET',
  path: '/events/verification',
  scope: 'redmint:server:read',
  answer: Verification,
  async run({ storage, settings: { audit_key } }) {
    if (audit_key === undefined)
      throw new AdminError('conflict', 'Set AUDIT_KEY to that of the servers: it signs the entries.')
    const { parts, faults } = await verified(storage, audit_key)
    return { body: { parts: [...parts], faults: [...faults] } }
  },
})

/** What operators do with the audit trail: they read it. Nothing changes or deletes an entry. */
export const AUDIT_OPERATIONS = byName(list, verify)
