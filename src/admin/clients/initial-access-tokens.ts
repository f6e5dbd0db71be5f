import { Type } from '@sinclair/typebox'
import {
  createInitialAccessToken,
  digestOf,
  INITIAL_ACCESS_TOKEN,
  nameOf,
} from '../../clients/registration/initial-access-token.ts'
import { commit } from '../../core/commit.ts'
import type { SecurityEvent } from '../../core/events.ts'
import { PATHS } from '../../core/paths.ts'
import type { Hash } from '../../core/record-hash.ts'
import { INITIAL_ACCESS_TOKEN_TAG } from '../../storage/registrations.ts'
import { DEFAULT_LIMIT, pageSchema } from '../operation/list.ts'
import { type AdminContext, byName, operation } from '../operation/operation.ts'
import { notFound } from '../operation/problem.ts'

/** The most clients that one invitation registers. */
export const MAX_USES = 10_000
/** The longest lifetime of an invitation, in seconds. */
const MAX_INVITED = 90 * 86_400
/** What an invitation is if nothing else is said; `ttl` in seconds. */
export const DEFAULT_INVITATION = { uses: 1, ttl: 86_400 } as const

/** A new invitation. */
interface Invited {
  readonly id: string
  /** What the client sends; it is not stored. */
  readonly invitation: string
  readonly uses: number
  /** ISO 8601. */
  readonly expires_at: string
}

/**
 * Makes an invitation with which `uses` clients register themselves within `ttl` seconds.
 * @throws StorageUnavailable
 */
async function invite(
  context: Pick<AdminContext, 'storage' | 'report' | 'now'>,
  { uses, ttl }: { readonly uses: number; readonly ttl: number },
): Promise<Invited> {
  const at = context.now()
  const expires_at = new Date(at + ttl * 1000).toISOString()
  const event: SecurityEvent = { event: 'client_invited', uses, expires_at }
  const { invitation } = await commit(context, [event], {}, async (told) => ({
    invitation: await createInitialAccessToken({ storage: context.storage, now: at }, { uses, ttl, told }),
  }))
  return { id: nameOf(digestOf(invitation)), invitation, uses, expires_at }
}

const path = '/registration-invitations'

const Shown = Type.Object({
  id: Type.String({ description: 'names the invitation, and registers nothing' }),
  uses_left: Type.Optional(Type.Integer()),
  created_at: Type.Optional(Type.String()),
  expires_at: Type.Optional(Type.String({ description: 'absent: it is not recorded' })),
})

const list = operation({
  name: 'list_invitations',
  summary: 'List the invitations with which clients can register themselves',
  method: 'GET',
  path,
  scope: 'redmint:clients:read',
  answer: pageSchema(Shown),
  needs: { page: true },
  async run({ storage }, { cursor, limit = DEFAULT_LIMIT }) {
    const wanted = { limit, prefix: INITIAL_ACCESS_TOKEN_TAG, ...(cursor !== undefined && { after: cursor }) }
    const { items, next } = await storage.records.page(INITIAL_ACCESS_TOKEN, wanted)
    return { body: { items: items.map(describe), ...(next !== undefined && { next }) } }
  },
})

const InvitedAnswer = Type.Object({
  id: Type.String(),
  invitation: Type.String({ description: 'what the client sends as Authorization: Bearer' }),
  uses: Type.Integer(),
  expires_at: Type.String(),
  registration_endpoint: Type.String(),
  client_registration: Type.String({
    description: 'the setting CLIENT_REGISTRATION; `off`: nobody can use it',
  }),
})

const create = operation({
  name: 'create_invitation',
  summary: 'Make an invitation to register clients, which is shown once',
  method: 'POST',
  path,
  scope: 'redmint:clients:write',
  body: Type.Object(
    {
      uses: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_USES,
          description: 'how many clients it registers; default: 1',
        }),
      ),
      ttl: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_INVITED, description: 'seconds; default: a day' }),
      ),
    },
    { additionalProperties: false },
  ),
  answer: InvitedAnswer,
  needs: { creates: true },
  async run(context, { body }) {
    const invited = await invite(context, { ...DEFAULT_INVITATION, ...body })
    const { issuer, client_registration } = context.settings
    return { body: { ...invited, registration_endpoint: issuer + PATHS.register, client_registration } }
  },
})

const remove = operation({
  name: 'delete_invitation',
  summary: 'Remove an invitation; the clients that it registered stay',
  method: 'DELETE',
  path: `${path}/:id`,
  scope: 'redmint:clients:write',
  params: Type.Object({ id: Type.String({ pattern: '^[\\w-]{16}$' }) }),
  answer: Type.Object({ id: Type.String(), removed: Type.Boolean() }),
  async run(context, { params: { id } }) {
    const { records } = context.storage
    const { items } = await records.page(INITIAL_ACCESS_TOKEN, {
      prefix: INITIAL_ACCESS_TOKEN_TAG + id,
      limit: 1,
    })
    const [found] = items
    const event = { event: 'invitation_removed', invitation: id } as const
    const removed =
      found &&
      (await commit(context, [event], {}, (told) => records.remove(INITIAL_ACCESS_TOKEN, found.id, told)))
    if (removed === undefined) throw notFound('invitation', id)
    return { body: { id, removed: true } }
  },
})

function describe({ id, hash }: { readonly id: string; readonly hash: Hash }) {
  const parsed = INITIAL_ACCESS_TOKEN.parse(hash, id)
  const name = nameOf(id.slice(INITIAL_ACCESS_TOKEN_TAG.length))
  return parsed.ok ? { id: name, ...parsed.record } : { id: name }
}

/** What operators do with invitations. */
export const INITIAL_ACCESS_TOKEN_OPERATIONS = byName(list, create, remove)
