import { type Static, Type } from '@sinclair/typebox'
import { CLIENT } from '../clients/record/client-kind.ts'
import type { Settings } from '../config/settings.ts'
import { OAuthError } from '../core/errors.ts'
import type { ClientId } from '../core/ids.ts'
import { scopeNames } from '../core/scope.ts'
import { SIGNALS_SCOPE } from '../core/security-events.ts'
import { listedRecords } from '../storage/indexes.ts'
import type { Storage } from '../storage/storage.ts'
import { type AdminContext, byName, operation } from './operation/operation.ts'
import { notFound } from './operation/problem.ts'

const MAX_LISTED = 500

const Stream = Type.Object(
  {
    client_id: Type.String({ description: 'Of the receiver' }),
    stream_id: Type.String(),
    status: Type.String({
      enum: ['enabled', 'paused', 'disabled'],
      description: '`paused`: what happens is held; `disabled`: it is not',
    }),
    reason: Type.Optional(Type.String({ description: 'Why it has this status' })),
    description: Type.Optional(Type.String({ description: 'In the words of the receiver' })),
    delivery: Type.String({ enum: ['push', 'poll'] }),
    endpoint_url: Type.Optional(Type.String({ description: 'Where tokens are pushed to' })),
    events: Type.Array(Type.String(), { description: 'What it is told of' }),
    waiting: Type.Integer({ description: 'How many tokens wait to be taken' }),
    waiting_since: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the first of them happened' }),
    ),
    failures: Type.Integer({ description: 'How often in a row it took nothing that was pushed' }),
    removed_subjects: Type.Integer({ description: 'How many people it does not want to hear of' }),
    created_at: Type.String({ format: 'date-time' }),
    delivered_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When it took something that was pushed last' }),
    ),
  },
  { $id: 'redmint:Stream', additionalProperties: false },
)
export type Stream = Static<typeof Stream>

const Streams = Type.Object(
  { items: Type.Array(Stream) },
  { $id: 'redmint:Streams', additionalProperties: false },
)

const NAMED = Type.Object(
  { client_id: Type.String({ description: 'Of the receiver' }) },
  { additionalProperties: false },
)

const list = operation({
  name: 'list_streams',
  summary:
    'The streams of the clients that are told of security events, with what waits for each; at most 500, those with the most at the top',
  method: 'GET',
  path: '/streams',
  scope: 'redmint:server:read',
  answer: Streams,
  off: signalsOff,
  run: async ({ storage }) => ({ body: { items: (await allStreams(storage)).slice(0, MAX_LISTED) } }),
})

const read = operation({
  name: 'read_stream',
  summary: 'The stream of a client that is told of security events',
  method: 'GET',
  path: '/streams/:client_id',
  scope: 'redmint:server:read',
  params: NAMED,
  answer: Stream,
  run: async ({ storage }, { params: { client_id } }) => ({ body: await namedStream(storage, client_id) }),
})

const resume = operation({
  name: 'resume_stream',
  summary: 'Enables a stream that is paused, as after its receiver is back: what waits is delivered',
  method: 'POST',
  path: '/streams/:client_id/resume',
  scope: 'redmint:server:write',
  params: NAMED,
  answer: Stream,
  refusal: signalsOff,
  async run(context, { params: { client_id } }) {
    const { changeStatus, readStream } = await import('../signals/streams.ts')
    const stream = await readStream(context, client_id)
    if (stream === undefined) throw notFound('stream', client_id)
    const wanted = { status: 'enabled', reason: undefined } as const
    await changeStatus(idle(context), client_id, stream, wanted).catch(goneOf(client_id))
    return { body: await namedStream(context.storage, client_id) }
  },
})

const remove = operation({
  name: 'delete_stream',
  summary: 'Removes the stream of a receiver that is gone, with what waits for it; it can make another one',
  method: 'DELETE',
  path: '/streams/:client_id',
  scope: 'redmint:server:write',
  params: NAMED,
  answer: Stream,
  async run(context, { params: { client_id } }) {
    const removed = await namedStream(context.storage, client_id)
    const { deleteStream } = await import('../signals/streams.ts')
    await deleteStream(idle(context), client_id, removed).catch(goneOf(client_id))
    return { body: removed }
  },
})

/** What operators see of receivers of security events, and do with them. */
export const STREAM_OPERATIONS = byName(list, read, resume, remove)

function signalsOff({ shared_signals }: Pick<Settings, 'shared_signals'>): string | undefined {
  return shared_signals === 'off' ? 'Nobody is told of security events: set SHARED_SIGNALS=on.' : undefined
}

/** What streams are read from. */
type StreamStore = Pick<Storage, 'records' | 'outboxes' | 'lists'>

/** Returns the streams of all receivers, those for which most waits at the beginning. @throws StorageUnavailable */
export async function allStreams(storage: StreamStore): Promise<Stream[]> {
  const streams: Stream[] = []
  for await (const { id, hash } of listedRecords(storage, CLIENT)) {
    if (!scopeNames(hash.allowed_scopes ?? '').includes(SIGNALS_SCOPE.manage)) continue
    const stream = await streamOf(storage, id)
    if (stream !== undefined) streams.push(stream)
  }
  return streams.sort((one, other) => other.waiting - one.waiting)
}

// Servers look for what is to be delivered within seconds.
const idle = (context: AdminContext) => ({ ...context, wake: () => {} })

// Its receiver deleted it meanwhile.
const goneOf = (client_id: ClientId) => (error: unknown) => {
  throw error instanceof OAuthError ? notFound('stream', client_id) : error
}

/** @throws AdminError `not_found`; StorageUnavailable */
async function namedStream(storage: StreamStore, client_id: ClientId): Promise<Stream> {
  const stream = await streamOf(storage, client_id)
  if (stream === undefined) throw notFound('stream', client_id)
  return stream
}

async function streamOf(storage: StreamStore, client_id: ClientId): Promise<Stream | undefined> {
  // Loaded only where it is asked for.
  const { shownStream } = await import('../signals/shown-stream.ts')
  const stream = await shownStream(storage, client_id)
  return stream && { ...stream, events: [...stream.events] }
}
