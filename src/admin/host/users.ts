import { Type } from '@sinclair/typebox'
import { nameForm } from '../../core/visible-text.ts'
import { fitUsersFirst } from '../../users/user-index.ts'
import { createFrom } from '../users/create.ts'
import { UserAnswer } from '../users/record-type.ts'
import { hostOperation } from './operation.ts'
import { assertAccepted } from './set-password.ts'

/**
 * Adds a user with a password, or with fields that no request sets, such as the hash that another system made of a
 * password.
 */
export const importUser = hostOperation({
  why: 'A password is set on Redis only: leave it or --server out.',
  body: Type.Object(
    {
      username: Type.String({ minLength: 1, maxLength: 255 }),
      fields: Type.Record(Type.String(), Type.String(), { description: 'as storage writes them' }),
      password: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  answer: UserAnswer,
  async run(context, { body: { fields, password, ...given }, dry_run }) {
    const username = nameForm(given.username)
    const hash =
      password === undefined
        ? undefined
        : async () => {
            assertAccepted(password, context.settings, { username, email: fields.email })
            return dry_run ? undefined : context.passwords.hash(password)
          }
    return createFrom(context, username, fields, dry_run, { hash })
  },
})

/** Makes the index of users, unless servers keep it: without it, a sub that is taken is not found. */
export const indexUsers = hostOperation({
  why: 'Servers keep the index of users.',
  body: Type.Object({}),
  answer: Type.Object({}),
  async run({ storage }) {
    await fitUsersFirst(storage)
    return { body: {} }
  },
})
