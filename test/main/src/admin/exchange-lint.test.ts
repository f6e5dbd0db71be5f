// Who may exchange tokens, as records say it: what lint finds, and what no client gets by itself.
import t from 'tap'
import { TOKEN_EXCHANGE } from '../../../../src/clients/record/grant-types.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { CLIENT_URL, fetched, startWithDocuments } from '../../../support/clients/document-clients.ts'
import { changeClient, readClient } from '../../../support/records.ts'

const CALLBACK = 'https://tool.example.net/callback'
const API = 'https://orders.example'

async function start() {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  const run = async (...args: string[]) => redmint(args)
  const lint = async (...args: string[]) => {
    const { json } = { json: parsed<{ findings?: object[]; items?: object[] }>(await run(...args, '--json')) }
    return JSON.stringify(json)
  }
  return {
    storage,
    run,
    lint,
    put: (hash: Record<string, string>) => storage.records.put({ kind: RESOURCE, id: API, hash }),
  }
}

t.test('a client that is added with a mode has the grant type', async (t) => {
  const { storage, run, lint } = await start()
  await run('client', 'add', 'orders', '--exchange-mode', 'delegate', '--scope', 'api.read')
  t.match((await readClient(storage, 'orders'))?.grant_types, `client_credentials ${TOKEN_EXCHANGE}`)
  t.notMatch(await lint('client', 'lint', 'orders'), 'exchange')
  await run('client', 'add', 'plain', '--scope', 'api.read')
  t.equal((await readClient(storage, 'plain'))?.grant_types, 'client_credentials')
})

t.test('lint names clients whose mode or grant type is of no use', async (t) => {
  const { storage, run, lint } = await start()
  await run('client', 'add', 'orders', '--exchange-mode', 'delegate', '--scope', 'api.read')
  const found = async (set: Record<string, string>, unset: string[] = []) => {
    await changeClient(storage, 'orders', { set, unset })
    return lint('client', 'lint', 'orders')
  }
  t.match(await found({ grant_types: 'client_credentials' }), 'is not used, because grant_types lacks')
  t.match(await found({ grant_types: TOKEN_EXCHANGE, registered_at: '1' }), 'registered itself')
  const without = await found({}, ['exchange_mode', 'registered_at'])
  t.match(without, 'exchange_mode is missing, so it gets identity assertions alone')
  const other = { kind: { name: 'application', listed: true }, id: 'https://other.example' } as const
  await storage.records.put({ ...other, hash: { clients: 'billing orders=ours' } })
  t.notMatch(
    await lint('client', 'lint', 'orders'),
    'exchange_mode',
    'assertions for another server are exchanged by it',
  )
})

t.test('lint names acting clients that cannot act, or for themselves', async (t) => {
  const { storage, run, lint, put } = await start()
  await put({ scopes: 'api.read', acting_clients: 'orders' })
  const found = () => lint('resource', 'lint', API)
  t.match(await found(), 'which is not registered')
  await run('client', 'add', 'orders', '--scope', 'api.read')
  t.match(await found(), 'may not act: redmint client update orders --exchange-mode delegate')
  await changeClient(storage, 'orders', {
    set: { exchange_mode: 'delegate', grant_types: `client_credentials ${TOKEN_EXCHANGE}` },
  })
  t.notMatch(await found(), 'acting_clients')
  await changeClient(storage, 'orders', { set: { disabled: 'true' } })
  t.match(await found(), 'which is disabled')
  await changeClient(storage, 'orders', {
    set: {
      disabled: 'false',
      grant_types: `authorization_code ${TOKEN_EXCHANGE}`,
      redirect_uris: 'https://orders.example/cb',
    },
  })
  t.match(await found(), 'could act for itself')
  await run('client', 'add', 'app', '--public', '--redirect-uri', 'https://app.example/cb')
  await put({ scopes: 'api.read', acting_clients: 'app' })
  t.match(await found(), 'is public, and so cannot exchange tokens')
})

t.test('no client that registers or describes itself may exchange tokens', async (t) => {
  const { fastify, storage, host, redmint } = await startWithDocuments(t, { client_registration: 'open' })
  const said = {
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', TOKEN_EXCHANGE],
    exchange_mode: 'delegate',
  }
  const { statusCode, json } = await fastify.inject({
    method: 'POST',
    url: '/oauth2/register',
    payload: said,
  })
  t.equal(statusCode, 201)
  const hash = await readClient(storage, String(json().client_id))
  t.strictSame([hash?.exchange_mode, hash?.grant_types], [undefined, 'authorization_code'])
  host.answer = () => fetched({ client_id: CLIENT_URL, ...said })
  const client = await redmint.clients.find(CLIENT_URL)
  t.strictSame([client?.exchange_mode, client?.grant_types], [undefined, ['authorization_code']])
})
