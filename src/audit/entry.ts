import { type Static, Type } from '@sinclair/typebox'
import { type About, ACTOR_KINDS, CHANNELS, type Origin } from '../core/audit-entries.ts'
import type { EventName, SecurityEvent } from '../core/events.ts'
import { isObject } from '../core/json.ts'
import { present } from '../core/present.ts'
import { randomText } from '../core/token-string.ts'
import { browserName } from '../sessions/browser-name.ts'
import { EVENT_ACTORS, isAnonymous } from './event-actors.ts'
import { shownId, type TrailPartName } from './parts.ts'

/** What an entry stands for that counts several together. */
export interface Counted {
  /** How many, this one included. */
  readonly count: number
  /** Whether they are of senders of whom nothing more is kept. */
  readonly is_of_others: boolean
}

const text = (description: string) => Type.Optional(Type.String({ description }))

/** An entry as readers see it. People are named by their subs alone. */
export const AuditEntry = Type.Object(
  {
    id: Type.String({ description: 'entries sort by it: as text, and in time' }),
    at: Type.String({ format: 'date-time' }),
    event: Type.String({ enum: Object.keys(EVENT_ACTORS), description: 'the name in docs/events.md' }),
    actor: Type.Object({
      kind: Type.String({ enum: [...ACTOR_KINDS] }),
      id: text('the sub of a person, or a client_id; absent: nobody is known'),
      username: text('that of the person today; absent: there is no such user any more'),
      name: text('what the person or the client is called today'),
      via: Type.String({ enum: [...CHANNELS] }),
      client_id: text('the client by way of which a person acts'),
    }),
    targets: Type.Array(
      Type.Object(
        {
          kind: Type.String(),
          id: Type.String(),
          username: Type.Optional(Type.String()),
          name: text('what the person or the client is called today'),
        },
        { description: 'what it is about' },
      ),
    ),
    context: Type.Object({
      address: text('the address of the client'),
      browser: text('such as Firefox on Linux'),
      request_id: text('the id of the request, as in the log'),
      trace_id: text('the id of the trace'),
    }),
    changes: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String(),
          from: Type.Optional(Type.Unknown({ description: 'absent: it had none, or it is not shown' })),
          to: Type.Optional(Type.Unknown({ description: 'absent: it has none, or it is not shown' })),
        }),
      ),
    ),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'the other fields of the event' }),
    ),
  },
  { $id: 'redmint:AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

/** An entry as it is stored: its id is that of storage. `uid` makes two entries differ that say the same. */
export type StoredText = Omit<AuditEntry, 'id'> & { readonly uid: string }

/** The kinds of what an event can be about, by the field that names it. */
const TARGETS = {
  sub: 'user',
  client_id: 'client',
  resource: 'resource',
  issuer: 'issuer',
  detail_type: 'detail_type',
  invitation: 'invitation',
  sid: 'session',
  grant: 'grant',
  inviter_sub: 'inviter',
} as const

/** Fields that are told otherwise, or that may name a person: a server may repeat an address in its answer to a mail. */
const NOT_DETAILS: readonly string[] = [
  'event',
  'username',
  'inviter',
  'answer',
  'fields',
  ...Object.keys(TARGETS),
]

const UID_BYTES = 9

/**
 * Returns the text of an entry.
 * @param sub of the user whom the event names; undefined: it names none, or there is none any more
 * @param at milliseconds since 1970
 * @param counted absent: it is a single one
 */
export function entryText(
  event: SecurityEvent,
  sub: string | undefined,
  about: About,
  origin: Origin,
  at: number,
  counted?: Counted,
): string {
  const fields: Readonly<Record<string, unknown>> = {
    ...event,
    sub: sub ?? ('sub' in event ? event.sub : undefined),
  }
  const targets = Object.entries(TARGETS).flatMap(([field, kind]) => {
    const id = fields[field]
    return typeof id === 'string' && id !== '' ? [{ kind, id }] : []
  })
  const details = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && !NOT_DETAILS.includes(name) && !isMoved(event, name),
  )
  if (counted) details.push(['times', counted.count])
  if (counted?.is_of_others) details.push(['senders', 'others'])
  const changes = changesOf(event, about)
  const { address, request_id, trace_id, user_agent } = origin
  const browser = user_agent && browserName(user_agent)
  const entry: StoredText = {
    at: new Date(at).toISOString(),
    event: event.event,
    actor: actorOf(event.event, fields, origin),
    targets,
    context: {
      ...(address && { address }),
      ...(browser && { browser }),
      ...(request_id !== undefined && { request_id }),
      ...(trace_id !== undefined && { trace_id }),
    },
    ...(changes.length > 0 && { changes: [...changes] }),
    ...(details.length > 0 && { details: Object.fromEntries(details) }),
    uid: randomText(UID_BYTES),
  }
  return JSON.stringify(entry)
}

/** Returns an entry by what storage has in a part; undefined: redmint did not write it. */
export function readEntry(id: string, stored: string, part: TrailPartName): AuditEntry | undefined {
  try {
    const { uid: _, ...entry } = JSON.parse(stored) as StoredText
    const is_ours =
      Object.hasOwn(EVENT_ACTORS, entry.event) &&
      Array.isArray(entry.targets) &&
      entry.targets.every(isObject) &&
      isObject(entry.actor) &&
      isObject(entry.context)
    return is_ours ? { id: shownId(id, part), ...entry } : undefined
  } catch {
    return undefined
  }
}

// The address of somebody who was locked out is not kept with the user.
function isMoved(event: SecurityEvent, name: string): boolean {
  if (event.event === 'rights_changed') return name === 'from' || name === 'to'
  return event.event === 'lockout_lifted' && name === 'address' && event.kind !== 'address'
}

const CHANGED_RECORDS: readonly string[] = [
  'resource_changed',
  'detail_type_changed',
  'issuer_trusted',
  'application_changed',
  'provider_changed',
]

function changesOf(event: SecurityEvent, { changes }: About) {
  if (event.event === 'rights_changed') return [{ field: 'admin', from: event.from, to: event.to }]
  if (CHANGED_RECORDS.includes(event.event)) return changes ?? []
  if (event.event !== 'client_changed' && event.event !== 'user_changed') return []
  const fields = typeof event.fields === 'object' ? event.fields : []
  // What a person is called, and how to reach it, must not outlive it here.
  const shown = event.event === 'client_changed' ? changes : []
  return fields.map((field) => shown?.find((change) => change.field === field) ?? { field })
}

function actorOf(
  name: EventName,
  { sub, client_id }: Readonly<Record<string, unknown>>,
  { actor, channel = 'server' }: Origin,
): AuditEntry['actor'] {
  if (actor !== undefined) return present(actor)
  const kind = EVENT_ACTORS[name]
  const id = kind === 'client' ? client_id : kind === 'user' && !isAnonymous(name) ? sub : undefined
  return { kind, ...(typeof id === 'string' && { id }), via: channel }
}
