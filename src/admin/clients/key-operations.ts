import { type Static, Type } from '@sinclair/typebox'
import { fetchClientKeys } from '../../clients/keys/client-keys.ts'
import { parseClient } from '../../clients/record/client-record.ts'
import type { Settings } from '../../config/settings.ts'
import { SIGNING_ALGS } from '../../core/algs.ts'
import { isObject, parseObject } from '../../core/json.ts'
import { isSecretKey, readKey } from '../../keys/key-set.ts'
import { describeFailure, type GetDocument } from '../../outbound/public-get.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { rightsOfClient } from '../holders.ts'
import { byName, operation } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'
import { changeClient } from './change.ts'
import { CLIENT_ID } from './given.ts'
import { readClient } from './record-type.ts'

const path = '/clients/:client_id/keys'

const KeysAnswer = Type.Object({
  client_id: Type.String(),
  source: Type.String({ description: 'The address that they were fetched from now, or `the record`' }),
  keys: Type.Array(
    Type.Object({
      kid: Type.String(),
      kty: Type.String(),
      use: Type.String(),
      algs: Type.Array(Type.String(), { description: 'of the signatures that it verifies here' }),
      is_secret: Type.Boolean({ description: 'Whether it is refused: a private or a symmetric key' }),
    }),
  ),
})
type ClientKeys = Static<typeof KeysAnswer>

const read = operation({
  name: 'read_client_keys',
  summary: 'Read the public keys of a client, fetched now if its record has their address',
  method: 'GET',
  path,
  scope: 'redmint:clients:read',
  params: CLIENT_ID,
  answer: KeysAnswer,
  run: async (context, { params: { client_id } }) => ({ body: await readClientKeys(context, client_id) }),
})

const RefreshedAnswer = Type.Object({ client_id: Type.String(), keys_refreshed_at: Type.String() })

const refresh = operation({
  name: 'refresh_client_keys',
  summary: 'Have every server fetch the keys of a client again, and use none that it fetched before',
  method: 'POST',
  path: `${path}/refresh`,
  scope: 'redmint:clients:write',
  params: CLIENT_ID,
  answer: RefreshedAnswer,
  rights: (context, { params }) => rightsOfClient(context, params),
  async run(context, { params: { client_id } }) {
    const stored = await readClient(context.storage, client_id)
    if (!stored.jwks_uri)
      throw new AdminError(
        'conflict',
        `The client "${client_id}" has no jwks_uri, so nothing is fetched: a change of its jwks takes effect within a second.`,
      )
    const keys_refreshed_at = new Date(context.now()).toISOString()
    const hash = await changeClient(context, client_id, stored, { set: { keys_refreshed_at } })
    return { body: { client_id, keys_refreshed_at }, stored: hash }
  },
})

/** What operators do with the keys of a client. */
export const CLIENT_KEY_OPERATIONS = byName(read, refresh)

/**
 * Returns the keys in the record of a client, or those that are at its address now.
 * @param get fetches the key set; by default as the servers do
 * @throws AdminError `not_found`, or `conflict` if the client is malformed, has no keys, or they cannot be fetched
 */
export async function readClientKeys(
  { storage, settings }: { readonly storage: RecordStore; readonly settings: Settings },
  client_id: string,
  get?: GetDocument,
): Promise<ClientKeys> {
  const parsed = parseClient(client_id, await readClient(storage, client_id))
  if (!parsed.ok) throw new AdminError('conflict', `The client "${client_id}" is malformed.`)
  const { jwks, jwks_uri, registered_at } = parsed.record
  const fetching = fetchClientKeys(settings)
  const asked = get ?? (registered_at === undefined ? fetching.registered : fetching.described)
  const document = jwks === undefined ? await fetchKeys(asked, client_id, jwks_uri) : parseObject(jwks)
  const members: readonly unknown[] = Array.isArray(document?.keys) ? document.keys : []
  return { client_id, source: jwks_uri ?? 'the record', keys: members.filter(isObject).map(shown) }
}

async function fetchKeys(get: GetDocument, client_id: string, jwks_uri: string | undefined) {
  if (jwks_uri === undefined)
    throw new AdminError('conflict', `The client "${client_id}" has no keys: no jwks and no jwks_uri.`)
  const fetched = await get(jwks_uri)
  if (fetched.ok) return fetched.document
  throw new AdminError('conflict', `The key set ${jwks_uri} ${describeFailure(fetched)}.`)
}

function shown(jwk: Record<string, unknown>): ClientKeys['keys'][number] {
  const textOf = (name: string) => (typeof jwk[name] === 'string' ? jwk[name] : '')
  const verified = readKey(jwk).map(({ alg }) => alg)
  return {
    kid: textOf('kid'),
    kty: textOf('kty'),
    use: textOf('use'),
    algs: SIGNING_ALGS.filter((alg) => verified.includes(alg)),
    is_secret: isSecretKey(jwk),
  }
}
