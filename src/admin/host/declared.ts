import { Type } from '@sinclair/typebox'
import { nameForm } from '../../core/visible-text.ts'
import { findFactors } from '../../factors/change-factors.ts'
import { NO_FACTORS } from '../../factors/factors-record.ts'
import { passwordRulesFor } from '../../factors/password-length.ts'
import { passwordHashProblem } from '../../users/password-hash.ts'
import { CLIENT_ID, ClientAnswer, readWholeClient, WholeClient } from '../clients/given.ts'
import { replaceFrom as replaceClient } from '../clients/write.ts'
import { invalidField } from '../operation/problem.ts'
import { USERNAME, UserAnswer, WholeUser } from '../users/record-type.ts'
import { type GivenPassword, replaceFrom as replaceUser } from '../users/replace.ts'
import { hostOperation } from './operation.ts'
import { assertAccepted } from './set-password.ts'

const version = Type.Optional(
  Type.String({ description: 'As a dry run said it; absent: there is no record' }),
)

/** Makes a client what a file declares, with the digest of its secret. */
export const declareClient = hostOperation({
  why: 'client_secret_hash is taken on Redis only: refer to the secret with client_secret, or leave --server out',
  body: Type.Object(
    { ...CLIENT_ID.properties, client: WholeClient, client_secret_hash: Type.String(), version },
    { additionalProperties: false },
  ),
  answer: ClientAnswer,
  run(context, { body: { client_id, client, client_secret_hash, version }, dry_run }) {
    const read: Parameters<typeof replaceClient>[2] = (stored) => {
      const given = readWholeClient(client_id, client, stored)
      return { ...given, set: { ...given.set, client_secret_hash } }
    }
    return replaceClient(context, client_id, read, version, dry_run)
  },
})

/**
 * Makes a user what a file declares, with a password, or with the hash that another system made of it. That is only the
 * first one: servers replace it at the next sign-in.
 */
export const declareUser = hostOperation({
  why: 'password is set on Redis only: leave it or --server out',
  ends: true,
  body: Type.Object(
    {
      ...USERNAME.properties,
      user: WholeUser,
      password: Type.Optional(Type.String()),
      password_hash: Type.Optional(Type.String()),
      version,
    },
    { additionalProperties: false },
  ),
  answer: UserAnswer,
  run(context, { body, dry_run }) {
    const username = nameForm(body.username)
    const { user, password, password_hash } = body
    const { passwords, settings } = context
    const passwordOf = async (
      stored?: Readonly<Record<string, string>>,
    ): Promise<GivenPassword | undefined> => {
      const known = stored?.password_hash
      if (password_hash !== undefined) {
        const problem = passwordHashProblem(password_hash)
        if (problem !== undefined) throw invalidField('password_hash', `password_hash ${problem}`)
        return known ? undefined : { ends: false, hash: async () => password_hash }
      }
      if (password === undefined || (known && (await passwords.verify(password, known)))) return undefined
      const { factors } =
        stored === undefined ? { factors: NO_FACTORS } : await findFactors(context, username)
      const email = emailIn(user)
      // One that was set under other rules stays usable.
      assertAccepted(password, passwordRulesFor(settings, factors), { username, email })
      return { ends: true, hash: () => passwords.hash(password) }
    }
    return replaceUser(context, username, user, { version: body.version, dry_run, passwordOf })
  },
})

function emailIn({ claims }: Readonly<Record<string, unknown>>): string | undefined {
  const email = new Map(Object.entries(claims ?? {})).get('email')
  return typeof email === 'string' ? email : undefined
}
