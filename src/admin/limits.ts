import { type Static, Type } from '@sinclair/typebox'
import type { Sub } from '../core/ids.ts'
import { nameForm } from '../core/visible-text.ts'
import { LOCKING_COUNTERS, LOCKOUT_KINDS, type Lockout, readLockouts } from '../limits/lockouts.ts'
import { forgetFailures, liftAndReport } from '../self-service/forget-failures.ts'
import { type AdminContext, byName, operation } from './operation/operation.ts'
import { notFound } from './operation/problem.ts'
import { readUser, USERNAME } from './users/record-type.ts'

const Limit = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ enum: [...LOCKOUT_KINDS], description: 'Whom it locks out' }),
    counter: Type.String({ enum: Object.keys(LOCKING_COUNTERS), description: 'Which counter is full' }),
    username: Type.Optional(Type.String({ description: 'Absent: no user has the name that was typed' })),
    client_id: Type.Optional(
      Type.String({ description: 'Absent: no client has the client_id that was sent' }),
    ),
    address: Type.Optional(
      Type.String({ description: 'An IPv4 address, or the network of an IPv6 address' }),
    ),
    until: Type.String({ format: 'date-time' }),
  },
  { $id: 'redmint:Limit', additionalProperties: false },
)
/** A lockout as operators see it. */
export type Limit = Static<typeof Limit>

const Limits = Type.Object(
  { items: Type.Array(Limit) },
  { $id: 'redmint:Limits', additionalProperties: false },
)

export type Limits = Static<typeof Limits>

type LimitContext = Pick<AdminContext, 'storage' | 'report' | 'now'>

const listOperation = operation({
  name: 'list_limits',
  summary: 'The lockouts that are in force; at most 500 of a kind',
  method: 'GET',
  path: '/limits',
  scope: 'redmint:server:read',
  answer: Limits,
  run: async (context) => ({ body: { items: await listLimits(context) } }),
})

const liftOperation = operation({
  name: 'lift_limit',
  summary: 'Lifts one lockout, and no other, on all servers within a second',
  method: 'DELETE',
  path: '/limits/:id',
  scope: 'redmint:server:write',
  params: Type.Object({ id: Type.String() }, { additionalProperties: false }),
  answer: Limit,
  run: async (context, { params: { id } }) => ({ body: await liftLimit(context, id) }),
})

const unlockOperation = operation({
  name: 'unlock_user',
  summary: 'Forgets the failures of a user on all servers within a second; limits of addresses stay',
  method: 'POST',
  path: '/users/:username/unlock',
  scope: 'redmint:server:write',
  params: USERNAME,
  answer: Limits,
  async run(context, { params }) {
    const username = nameForm(params.username)
    const { sub } = await readUser(context.storage, username)
    return { body: { items: await unlockUser(context, username, sub) } }
  },
})

/** What operators do with lockouts. */
export const LIMIT_OPERATIONS = byName(listOperation, liftOperation, unlockOperation)

/** Returns the lockouts that are in force, those that end last at the top. @throws StorageUnavailable */
export async function listLimits({ storage, now }: Omit<LimitContext, 'report'>): Promise<Limit[]> {
  return (await readLockouts(storage)).map((lockout) => describe(lockout, now()))
}

/** Lifts one lockout, and no other. @throws AdminError `not_found`; StorageUnavailable */
export async function liftLimit(context: LimitContext, id: string): Promise<Limit> {
  const lockout = (await readLockouts(context.storage)).find((one) => one.id === id)
  if (lockout === undefined) throw notFound('lockout', id)
  await liftAndReport(context, lockout)
  return describe(lockout, context.now())
}

/** As forgetFailures; returns what was lifted. @throws StorageUnavailable */
export async function unlockUser(
  context: LimitContext,
  username: string,
  sub: Sub | undefined,
): Promise<Limit[]> {
  return (await forgetFailures(context, username, sub)).map((lockout) => describe(lockout, context.now()))
}

function describe({ ends_in, place: _, ...lockout }: Lockout, now: number): Limit {
  return { ...lockout, until: new Date(now + ends_in).toISOString() }
}
