import { Type } from '@sinclair/typebox'
import { ClientAnswer } from '../clients/given.ts'
import { readClient } from '../clients/record-type.ts'
import { changeFrom, createFrom } from '../clients/write.ts'
import { hostOperation } from './operation.ts'

/** Registers or changes a client with fields that no request sets, such as the digest of a secret. */
export const importClient = hostOperation({
  why: 'Digests of secrets, and fields that only redmint sets, are taken on Redis only: leave them or --server out.',
  body: Type.Object(
    {
      client_id: Type.String({ minLength: 1, maxLength: 255 }),
      fields: Type.Record(Type.String(), Type.String(), { description: 'as storage writes them' }),
      client_secret: Type.Optional(Type.String()),
      is_update: Type.Optional(
        Type.Boolean({ description: 'Whether there is a record, which has the others' }),
      ),
    },
    { additionalProperties: false },
  ),
  answer: ClientAnswer,
  async run(context, { body: { client_id, fields, client_secret, is_update = false }, dry_run }) {
    const given = { set: fields, unset: [], client_secret }
    if (!is_update) return createFrom(context, client_id, given, dry_run)
    return changeFrom(context, client_id, await readClient(context.storage, client_id), given, dry_run)
  },
})
