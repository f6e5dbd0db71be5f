import { Type } from '@sinclair/typebox'
import type { Hash } from '../../core/record-hash.ts'
import { invalidField } from '../operation/problem.ts'
import { answerSchema, bodySchema, labelOf, readGiven, wholeSchema } from '../operation/record-type.ts'
import { CLIENTS, describeClient, SECRET_STATES } from './record-type.ts'
import { MIN_SECRET_LENGTH } from './secret.ts'

/** The parameter of paths that name a client. */
export const CLIENT_ID = Type.Object({ client_id: Type.String({ minLength: 1, maxLength: 255 }) })

const client_secret = Type.Optional(
  Type.String({
    description: `at least ${MIN_SECRET_LENGTH} printable ASCII characters; answers have it once, if it was generated`,
  }),
)

/** A client in answers. */
export const ClientAnswer = answerSchema(CLIENTS, { ...SECRET_STATES, client_secret })

/** A client in requests, or a merge patch of one. */
export const ClientBody = bodySchema(CLIENTS, { ...SECRET_STATES, client_secret })

/** A client in requests, as a whole. */
export const WholeClient = wholeSchema(CLIENTS, { ...SECRET_STATES, client_secret })

/** A new client. */
export const NewClientBody = Type.Object(
  { ...ClientBody.properties, client_id: Type.String({ minLength: 1, maxLength: 255 }) },
  { additionalProperties: false },
)

/** What a request gives of a client, as storage writes it. */
export interface GivenClient {
  readonly set: Hash
  readonly unset: readonly string[]
  readonly client_secret: string | undefined
}

/**
 * Reads the client of a request.
 * @param stored the record that there is
 * @param is_patch whether the request has only what changes
 * @throws AdminError `unknown_field` or `invalid_field`
 */
export function readGivenClient(
  client_id: string,
  body: Readonly<Record<string, unknown>>,
  stored?: Hash,
  is_patch = false,
): GivenClient {
  // When a secret was used can change between reading a client and sending it back.
  const { client_secret: secret, secret_used_at: _, old_secret_used_at: __, ...fields } = body
  const described = stored === undefined ? { client_id } : describeClient(client_id, stored)
  const { set, unset } = readGiven(CLIENTS, fields, described, is_patch ? stored : undefined)
  if (secret !== undefined && typeof secret !== 'string')
    throw invalidField('client_secret', 'client_secret must be a string')
  return { set, unset, client_secret: secret }
}

/** Reads a client as a whole, with the label of the file that declares it. @throws AdminError as readGivenClient */
export function readWholeClient(
  client_id: string,
  body: Readonly<Record<string, unknown>>,
  stored?: Hash,
): GivenClient {
  const { label, fields } = labelOf(body)
  const given = readGivenClient(client_id, fields, stored)
  return { ...given, set: { ...given.set, ...label } }
}
