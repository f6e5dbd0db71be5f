import { CLIENT } from '../../clients/record/client-kind.ts'
import { secretHash } from '../../clients/record/client-secret.ts'
import { rightsOfClient } from '../holders.ts'
import { inBulk } from '../operation/bulk.ts'
import { madePageSchema, pageOf, SEARCH } from '../operation/list.ts'
import { byName, operation } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'
import { givenFields } from '../operation/record-type.ts'
import { assertReplaceable, assertVersion } from '../operation/version.ts'
import { declaredChange } from './declared.ts'
import { CLIENT_ID, ClientAnswer, ClientBody, NewClientBody, readGivenClient } from './given.ts'
import { CLIENT_KEY_OPERATIONS } from './key-operations.ts'
import { lintClients } from './lint.ts'
import { CLIENTS, describeClient, readClient, usesOf } from './record-type.ts'
import { checkSecret } from './secret.ts'
import { SECRET_OPERATIONS } from './secret-operations.ts'
import { STATE_OPERATIONS } from './state-operations.ts'
import { changeFrom, createFrom, finish } from './write.ts'

const READ = 'redmint:clients:read'
const WRITE = 'redmint:clients:write'
const path = '/clients/:client_id'

const list = operation({
  name: 'list_clients',
  summary: 'List or search clients',
  method: 'GET',
  path: '/clients',
  scope: READ,
  query: SEARCH,
  answer: madePageSchema(ClientAnswer),
  needs: { page: true },
  async run(context, { query: { q }, cursor, limit }) {
    const hash = q === undefined ? undefined : (await context.storage.records.read(CLIENT, q))?.hash
    const exact = q === undefined || hash === undefined ? undefined : { id: q, hash }
    const { items, ...more } = await pageOf(context, CLIENT, exact, { q, cursor, limit })
    return { body: { items: items.map(({ id, hash }) => describeClient(id, hash)), ...more } }
  },
})

const create = operation({
  name: 'create_client',
  summary: 'Register a client. A secret that it needs, and that is not given, is shown once',
  method: 'POST',
  path: '/clients',
  scope: WRITE,
  body: NewClientBody,
  answer: ClientAnswer,
  needs: { creates: true, dry_run: true },
  run: (context, { body, dry_run }) =>
    createFrom(context, body.client_id, readGivenClient(body.client_id, body), dry_run),
})

const read = operation({
  name: 'read_client',
  summary: 'Read a client, and when its secrets were last used',
  method: 'GET',
  path,
  scope: READ,
  params: CLIENT_ID,
  answer: ClientAnswer,
  async run({ storage }, { params: { client_id } }) {
    const stored = await readClient(storage, client_id)
    const uses = await usesOf(storage, client_id, stored)
    return { body: { ...describeClient(client_id, stored), ...uses }, stored }
  },
})

const replace = operation({
  name: 'replace_client',
  summary:
    'Create a client, or make it what is given. Its secret, and whether it is disabled, stay if not given',
  method: 'PUT',
  path,
  scope: WRITE,
  params: CLIENT_ID,
  body: ClientBody,
  answer: ClientAnswer,
  needs: { version: 'if_exists', dry_run: true },
  rights: (context, { params }) => rightsOfClient(context, params),
  async run(context, { params: { client_id }, body, version, dry_run }) {
    const stored = (await context.storage.records.read(CLIENT, client_id))?.hash
    if (stored === undefined) {
      if (version !== undefined) throw new AdminError('stale', `There is no client "${client_id}" any more.`)
      return createFrom(context, client_id, readGivenClient(client_id, body), dry_run)
    }
    assertReplaceable(context.caller, stored, version)
    const { set, client_secret } = readGivenClient(client_id, body, stored)
    const secret =
      client_secret === undefined ? {} : { client_secret_hash: secretHash(checkSecret(client_secret)) }
    const names = [...givenFields(CLIENTS), 'client_secret_hash']
    const declared = { client_id, set: { ...set, ...secret } }
    const change = declaredChange(declared, stored, names, context.now())
    return finish(context, client_id, stored, change, dry_run)
  },
})

const change = operation({
  name: 'change_client',
  summary: 'Change a client by a merge patch (RFC 7396)',
  method: 'PATCH',
  path,
  scope: WRITE,
  params: CLIENT_ID,
  body: ClientBody,
  answer: ClientAnswer,
  needs: { version: true, dry_run: true },
  rights: (context, { params }) => rightsOfClient(context, params),
  async run(context, { params: { client_id }, body, version, dry_run }) {
    const stored = await readClient(context.storage, client_id)
    assertVersion(stored, version)
    return changeFrom(context, client_id, stored, readGivenClient(client_id, body, stored, true), dry_run)
  },
})

/** What operators do with clients. */
export const CLIENT_OPERATIONS = {
  ...byName(
    list,
    create,
    inBulk('create_clients', '/clients/bulk', 'Register several clients', create),
    read,
    replace,
    change,
    lintClients,
  ),
  ...STATE_OPERATIONS,
  ...SECRET_OPERATIONS,
  ...CLIENT_KEY_OPERATIONS,
}
