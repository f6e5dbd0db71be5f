import { type Static, Type } from '@sinclair/typebox'
import { type Actor, actingClients } from '../../core/actor.ts'
import { commit } from '../../core/commit.ts'
import type { SecurityEvent } from '../../core/events.ts'
import type { ClientId, FamilyId } from '../../core/ids.ts'
import { subForTrail } from '../../factors/change-factors.ts'
import { queueEnding } from '../../logout/endings-queue.ts'
import { actorName } from '../../storage/derivation.ts'
import {
  type ActingToken,
  endActing,
  isActingEnded,
  readActing,
  readAllActing,
} from '../../tokens/acting-tokens.ts'
import type { StoredGrant } from '../../tokens/listed-grants.ts'
import { beganBefore } from '../../tokens/token-account.ts'
import type { AdminContext } from '../operation/operation.ts'
import { notFound } from '../operation/problem.ts'
import { readUser } from '../users/record-type.ts'
import { type AccessContext, type Holders, holdersOf } from './context.ts'
import { ShownDetails, shownDetails } from './details.ts'
import { assertClient, describeGrant, type GrantOwner, pageOfGrants, ShownGrant } from './grants.ts'
import { type AccessPage, type EndedCount, instantOf, type PageRequested } from './page.ts'
import { announce } from './sessions.ts'

/** Who acts for a person. */
export const ShownActor = Type.Object(
  {
    sub: Type.String(),
    client_id: Type.Optional(Type.String({ description: 'absent: it is no client of this server' })),
    iss: Type.Optional(Type.String({ description: 'the issuer that names it; absent: this server' })),
  },
  { additionalProperties: false },
)

/** A token that a client got by exchange, as operators see it. Nothing in it can be used. */
export const ShownActingToken = Type.Object(
  {
    place: Type.Integer({ description: 'of the token among those of the sign-in' }),
    from: Type.Optional(
      Type.Integer({
        description: 'the place of the one it was exchanged for; absent: one of the sign-in itself',
      }),
    ),
    client_id: Type.String({ description: 'who has it' }),
    actors: Type.Array(ShownActor, { description: 'who acts, the current actor first; empty: nobody' }),
    scope: Type.String(),
    authorization_details: Type.Optional(ShownDetails),
    audience: Type.Array(Type.String({ description: 'an API that it is for' })),
    issued_at: Type.Optional(Type.String({ format: 'date-time' })),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false },
)
export type ShownActingToken = Static<typeof ShownActingToken>

/** A sign-in, and the tokens that clients got by exchange for its tokens. */
export const GrantWithActing = Type.Composite(
  [
    ShownGrant,
    Type.Object({
      acting: Type.Array(ShownActingToken, { description: 'those that are live, the first to expire first' }),
    }),
  ],
  { additionalProperties: false },
)
export type GrantWithActing = Static<typeof GrantWithActing>

/** Returns a sign-in that goes on, with what was exchanged for it. @throws AdminError `not_found`; StorageUnavailable */
export async function readGrant(context: AccessContext, family: FamilyId): Promise<GrantWithActing> {
  const grant = await findGrant(context, family)
  const acting = await liveTokens(holdersOf(context), grant, await readActing(context, grant))
  return { ...describeGrant(grant), acting }
}

/**
 * Returns a page of the sign-ins of a user, or at a client, of which others have tokens by exchange.
 * @throws AdminError `not_found`, `invalid_cursor`; StorageUnavailable
 */
export async function listActing(
  context: AccessContext,
  owner: GrantOwner,
  wanted: PageRequested = {},
): Promise<AccessPage<GrantWithActing>> {
  if ('username' in owner) await readUser(context.storage, owner.username)
  else await assertClient(context, owner.client_id)
  const { items, ...more } = await pageOfGrants(context, owner, wanted)
  const [found, holders] = [await readAllActing(context, items), holdersOf(context)]
  const shown = await Promise.all(
    items.map(async (grant) => {
      const acting = await liveTokens(holders, grant, found.get(grant.family) ?? [])
      return acting.length === 0 ? [] : [{ ...describeGrant(grant), acting }]
    }),
  )
  return { items: shown.flat(), ...more }
}

/**
 * Ends what a client does for others in one sign-in: it gets no further token of it. Answers how many tokens ended.
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function endActingOfGrant(
  context: AdminContext,
  family: FamilyId,
  client_id: ClientId,
): Promise<EndedCount> {
  await assertClient(context, client_id)
  const { username, ended_actors } = (await findGrant(context, family)).record
  const event: SecurityEvent = { event: 'acting_ended', username, client_id, grant: family }
  const sub = username === undefined ? undefined : await subForTrail(context, username)
  const is_again = ended_actors?.split(' ').includes(actorName(client_id))
  return await commit(context, is_again ? [] : [event], { sub }, async (told) => ({
    ended: await context.storage.families.endDerived(family, client_id, told),
  }))
}

/**
 * The same in all sign-ins of a user: the last ones at once, and a server does the rest. Answers how many tokens ended at
 * once.
 * @throws AdminError `not_found`; StorageUnavailable
 */
export async function endActingOfUser(
  context: AdminContext,
  username: string,
  client_id: ClientId,
): Promise<EndedCount> {
  await readUser(context.storage, username)
  await assertClient(context, client_id)
  const event: SecurityEvent = { event: 'acting_ended', username, client_id }
  const ending = { what: 'acting', username, client_id, before: context.now() + 1 } as const
  await commit(context, [event], { sub: await subForTrail(context, username) }, async (told) => {
    await queueEnding(context.storage, ending, told)
    return 'queued'
  })
  const { items } = await pageOfGrants(context, { username }, {})
  const ended = await endActing(context, items, client_id)
  announce(context)
  return { ended }
}

/** Returns an actor without those before it. */
export const shownActor = ({ act: _, ...actor }: Actor): Static<typeof ShownActor> => actor

async function findGrant({ storage }: AccessContext, family: FamilyId): Promise<StoredGrant> {
  const record = await storage.families.findFamily(family)
  if (record?.status !== 'active') throw notFound('grant', family)
  return { family, started_at: Number(record.started_at ?? 0), record }
}

/** Leaves out tokens that are refused because of one who acts: its end, or what the user or an operator ended. */
async function liveTokens(
  holders: Holders,
  { record }: StoredGrant,
  tokens: readonly ActingToken[],
): Promise<ShownActingToken[]> {
  const { username, started_at } = record
  const user = username === undefined ? undefined : await holders.user(username)
  const shown = tokens.map(async (token) => {
    if (user !== undefined && isActingEnded(user, token, record)) return []
    const ids = [token.client_id, ...actingClients(token.actors[0])]
    const clients = await Promise.all(ids.map((id) => holders.client(id)))
    const is_live = clients.every(
      (client) =>
        client !== undefined && !client.disabled && !beganBefore(started_at, client.grants_end_before),
    )
    return is_live ? [describe(token)] : []
  })
  return (await Promise.all(shown)).flat()
}

function describe({
  actors,
  audience,
  details,
  issued_at,
  expires_at,
  ...token
}: ActingToken): ShownActingToken {
  return {
    ...token,
    ...shownDetails(details),
    actors: actors.map(shownActor),
    audience: [...audience],
    ...(issued_at !== undefined && { issued_at: instantOf(issued_at) }),
    expires_at: instantOf(expires_at),
  }
}
