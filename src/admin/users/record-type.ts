import { type Static, type TObject, Type } from '@sinclair/typebox'
import { claimsOf } from '../../claims/claims.ts'
import { SILENT } from '../../core/log.ts'
import type { Hash } from '../../core/record-hash.ts'
import { scopeNames } from '../../core/scope.ts'
import type { LastSignIn } from '../../storage/sign-ins.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { namesakesOf } from '../../users/namesakes.ts'
import { PASSWORD_STATES, passwordState } from '../../users/password-hash.ts'
import { USER_FIELDS } from '../../users/user-fields.ts'
import { USER } from '../../users/user-kind.ts'
import type { User } from '../../users/user-record.ts'
import { AdminError, notFound } from '../operation/problem.ts'
import {
  answerSchema,
  bodySchema,
  describeRecord,
  type RecordType,
  wholeSchema,
} from '../operation/record-type.ts'

/** Users as operators see them. */
export const USERS: RecordType<typeof USER_FIELDS, 'username', User> = {
  name: 'user',
  kind: USER,
  table: USER_FIELDS,
  id: 'username',
  read_only: [
    ...[
      'sub',
      'disabled',
      'demo',
      'managed_by',
      'ending',
      'sessions_end_before',
      'session_kept',
      'grants_end_before',
      'groups_from',
    ],
    'access_ended',
  ],
}

/** The parameter of paths that name a user. */
export const USERNAME = Type.Object({ username: Type.String({ minLength: 1, maxLength: 255 }) })

const claims = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'Standard claims (OpenID Connect Core §5.1), and those that the operator defines, such as groups',
    },
  ),
)
const password = Type.Optional(
  Type.String({
    enum: [...PASSWORD_STATES],
    readOnly: true,
    description: 'Whether there is a password',
  }),
)

const last_sign_in_at = Type.Optional(
  Type.String({ format: 'date-time', readOnly: true, description: 'Missing: the user never signed in' }),
)

const warnings = Type.Optional(
  Type.Array(Type.String(), {
    readOnly: true,
    description:
      'After a change: who else has the names of the user, or why nobody signs in with the address',
  }),
)

/** What is left to do so that somebody can sign in as a user. */
export const NEXT_STEP = Type.Optional(
  Type.String({
    readOnly: true,
    description:
      'After a change, and with the ways to sign in: that nobody can sign in as the user yet, and what to do; missing: somebody can',
  }),
)

/** A user in answers. */
export const UserAnswer = answerSchema(USERS, {
  claims: Type.Optional(claims),
  password,
  last_sign_in_at,
  warnings,
  next_step: NEXT_STEP,
})

/** The change of a user: a merge patch (RFC 7396). */
export const UserPatch: TObject = bodySchema(USERS, { claims, password })

/** A user in requests, as a whole. */
export const WholeUser: TObject = wholeSchema(USERS, {
  claims,
  password,
  last_sign_in_at: Type.Optional(Type.String({ readOnly: true })),
  sub: Type.Optional(Type.String({ description: 'Never changes. Default of a new user: 128 random bits' })),
  disabled: Type.Optional(Type.Boolean({ description: 'true ends all that the user has' })),
})

/** A new user. */
export const NewUser = Type.Object(
  {
    username: Type.String({ minLength: 1, maxLength: 255 }),
    sub: Type.Optional(Type.String({ description: 'Default: 128 random bits' })),
    disabled: Type.Optional(Type.Boolean()),
    linked_subjects: Type.Optional(Type.Array(Type.String())),
    admin: Type.Optional(Type.Array(Type.String())),
    second_factor: Type.Optional(Type.String({ enum: ['required'] })),
    claims: Type.Optional(claims),
  },
  { additionalProperties: false },
)
export type NewUser = Static<typeof NewUser>

/** Returns a user as answers have it; undefined: the key is not a hash. Neither a password nor a hash comes out. */
export function describeUser(
  username: string,
  stored: Hash | undefined,
  { signed_in_at }: Pick<LastSignIn, 'signed_in_at'> = {},
) {
  return describeRecord(USERS, username, stored, (user, { password_hash }) => ({
    claims: claimsOf(user, [...Object.keys(user.claims), ...Object.keys(user.custom_claims)], SILENT),
    password: passwordState(password_hash),
    ...(signed_in_at !== undefined && { last_sign_in_at: new Date(signed_in_at).toISOString() }),
  }))
}

/** Reads the record of a user. @throws AdminError `not_found`; StorageUnavailable */
export async function readUser(store: RecordStore, username: string): Promise<Hash> {
  const hash = (await store.records.read(USER, username))?.hash
  if (hash === undefined) throw await noSuchUser(store, username)
  return hash
}

/** Returns the error for a user who does not exist; it names one with a similar name. @throws StorageUnavailable */
export async function noSuchUser(store: RecordStore, username: string): Promise<AdminError> {
  const [namesake] = await namesakesOf(store, username)
  if (namesake === undefined) return notFound('user', username)
  return new AdminError('not_found', `There is no user "${username}": did you mean "${namesake}"?`)
}

/** Returns the scopes of the admin API that a user has, also if the record is malformed. */
export const rightsOf = ({ admin = '' }: Hash): string[] => scopeNames(admin)
