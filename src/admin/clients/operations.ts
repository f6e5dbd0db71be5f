import { CLIENT } from '../../clients/record/client-kind.ts'
import { rightsOfClient } from '../holders.ts'
import { inBulk } from '../operation/bulk.ts'
import { foundPage, foundPageSchema, SEARCH } from '../operation/list.ts'
import { byName, operation } from '../operation/operation.ts'
import { assertVersion } from '../operation/version.ts'
import {
  CLIENT_ID,
  ClientAnswer,
  ClientBody,
  NewClientBody,
  readGivenClient,
  readWholeClient,
  WholeClient,
} from './given.ts'
import { CLIENT_KEY_OPERATIONS } from './key-operations.ts'
import { lintClients } from './lint.ts'
import { describeClient, readClient, usesOf } from './record-type.ts'
import { SECRET_OPERATIONS } from './secret-operations.ts'
import { STATE_OPERATIONS } from './state-operations.ts'
import { changeFrom, createFrom, replaceFrom } from './write.ts'

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
  answer: foundPageSchema(ClientAnswer),
  needs: { page: true },
  async run(context, { query: { q }, cursor, limit }) {
    const exactly = async (id: string) => {
      const hash = (await context.storage.records.read(CLIENT, id))?.hash
      return hash === undefined ? [] : [{ id, hash }]
    }
    const { items, ...more } = await foundPage(context, CLIENT, exactly, { q, cursor, limit })
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
  body: WholeClient,
  answer: ClientAnswer,
  needs: { version: 'if_exists', dry_run: true },
  rights: (context, { params }) => rightsOfClient(context, params),
  run: (context, { params: { client_id }, body, version, dry_run }) =>
    replaceFrom(context, client_id, (stored) => readWholeClient(client_id, body, stored), version, dry_run),
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
