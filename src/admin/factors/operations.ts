import { type Static, Type } from '@sinclair/typebox'
import { nameForm } from '../../core/visible-text.ts'
import { findFactors } from '../../factors/change-factors.ts'
import { MAX_FAILURES } from '../../factors/check-second-step.ts'
import type { Factors } from '../../factors/factors-record.ts'
import { RESETTABLE, resetFactors } from '../../factors/reset-factors.ts'
import { instantOf } from '../access/page.ts'
import { endSessionsOf } from '../access/sessions.ts'
import { rightsOfUser } from '../holders.ts'
import { byName, operation } from '../operation/operation.ts'
import { NEXT_STEP, readUser, USERNAME } from '../users/record-type.ts'
import { nextStep } from '../users/way-in.ts'

const path = '/users/:username/factors'

const Instant = Type.String({ format: 'date-time' })

/** What a user has besides a password. Nothing in it can be used. */
const FactorsAnswer = Type.Object({
  next_step: NEXT_STEP,
  totp: Type.Optional(
    Type.Object(
      {
        created_at: Instant,
        limited: Type.Boolean({ description: 'So many codes were wrong that none counts any more' }),
      },
      { description: 'The authenticator app' },
    ),
  ),
  recovery_codes: Type.Optional(
    Type.Object({ created_at: Instant, left: Type.Integer({ description: 'How many were not used' }) }),
  ),
  passkeys: Type.Array(
    Type.Object({
      name: Type.String(),
      created_at: Instant,
      last_used_at: Type.Optional(Instant),
      synced: Type.Boolean({ description: 'Whether it may be on several devices' }),
    }),
  ),
})
export type FactorsAnswer = Static<typeof FactorsAnswer>

const ResetAnswer = Type.Object({
  removed: Type.Array(Type.Union(RESETTABLE.map((name) => Type.Literal(name)))),
  ended: Type.Integer({ description: 'How many sessions ended: all of the user, if anything was removed' }),
  next_step: NEXT_STEP,
})

/** What operators see and remove of factors. They can neither set nor use one. */
export const FACTOR_OPERATIONS = byName(
  operation({
    name: 'read_factors',
    summary: 'Show what a user has besides a password',
    method: 'GET',
    path,
    scope: 'redmint:users:read',
    params: USERNAME,
    answer: FactorsAnswer,
    async run(context, { params }) {
      const username = nameForm(params.username)
      const stored = await readUser(context.storage, username)
      const [{ factors }, left] = await Promise.all([
        findFactors(context, username),
        nextStep(context, username, stored),
      ])
      return { body: { ...describeFactors(factors), ...left }, shows: username }
    },
  }),
  operation({
    name: 'reset_factors',
    summary: 'Remove what a user has besides a password, and end all sessions of the user',
    method: 'DELETE',
    path,
    scope: 'redmint:users:write',
    params: USERNAME,
    query: Type.Object({
      only: Type.Optional(
        Type.String({ enum: [...RESETTABLE], description: 'Removes only these; absent: all' }),
      ),
    }),
    answer: ResetAnswer,
    rights: (context, { params }) => rightsOfUser(context, params),
    async run(context, { params, query }) {
      const username = nameForm(params.username)
      const stored = await readUser(context.storage, username)
      const wanted = RESETTABLE.filter((what) => query.only === undefined || query.only === what)
      const removed = await resetFactors(context, username, wanted)
      // Whoever signed in with what was removed is signed out, too.
      const { ended } = removed.length > 0 ? await endSessionsOf(context, username) : { ended: 0 }
      return { body: { removed: [...removed], ended, ...(await nextStep(context, username, stored)) } }
    },
  }),
)

function describeFactors({ totp, recovery, passkeys }: Factors): FactorsAnswer {
  return {
    ...(totp && { totp: { created_at: instantOf(totp.created_at), limited: totp.failures >= MAX_FAILURES } }),
    ...(recovery && {
      recovery_codes: { created_at: instantOf(recovery.created_at), left: recovery.digests.length },
    }),
    passkeys: [...passkeys.values()].map(({ name, created_at, last_used_at, backed_up }) => ({
      name,
      created_at: instantOf(created_at),
      ...(last_used_at !== undefined && { last_used_at: instantOf(last_used_at) }),
      synced: backed_up,
    })),
  }
}
