// A fault of a third party is told as one to operators, whatever the other side is told, and only what an operator named is noted.
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import type { Hash } from '../../../../src/core/record-hash.ts'
import type { Fetched, FetchFailure } from '../../../../src/outbound/public-get.ts'
import { AWAY, fetched } from '../../../support/clients/document-clients.ts'
import { type Instead, personNamed, startFakeDirectory } from '../../../support/directory/fake-directory.ts'
import { happensAt } from '../../../support/explain/happen.ts'
import { freePort } from '../../../support/process.ts'
import { createClient } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { CLIENTS, startService } from '../../../support/service.ts'
import { assertionOf, CLIENT_ASSERTION_TYPE, claimsOf, issuerKey } from '../../../support/trusted-issuer.ts'

const EXPLAINED = { explain: { delay: 1 } } as const
const { client_secret_hash: _, ...KEYED } = { ...CLIENTS.service, is_public: true }

t.test(
  'keys of a client that were never fetched are told as away, and a stranger sees no difference',
  async (t) => {
    const key = issuerKey()
    let keys: Fetched | FetchFailure = AWAY
    const get = async () => keys
    const service = await startService(t, {
      ...EXPLAINED,
      fetch_client_keys: { registered: get, described: get },
    })
    const { token, storage, fastify } = service
    const { happens } = happensAt(t, service)
    const register = (client_id: string, more: Hash = {}) =>
      createClient(storage, client_id, {
        ...formatClient({ ...KEYED, client_id }),
        is_public: 'false',
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri: `https://${client_id}.example.com/keys`,
        ...more,
      })
    await register('own')
    await register('stranger', { registered_at: new Date().toISOString() })
    const prove = (client_id: string) =>
      token({
        grant_type: 'client_credentials',
        client_assertion: assertionOf(key, claimsOf(client_id, client_id)),
        client_assertion_type: CLIENT_ASSERTION_TYPE,
      })
    const { outcomes } = fastify.redmint
    const unknown = await prove('nobody')
    const strange = await prove('stranger')
    await happens('client_keys_away', '401 invalid_client', strange)
    t.equal(outcomes.takeChanged().size, 0, 'who registers itself names a host that does not answer')
    const own = await prove('own')
    await happens('client_keys_away', '401 invalid_client', own)
    t.strictSame([own.status, own.text], [unknown.status, unknown.text], 'the same answer as for nobody')
    t.match([...outcomes.takeChanged()], [['client_keys:own', { error: { step: 'keys' } }]])
    keys = fetched({ keys: [issuerKey().jwk] })
    await happens('client_assertion_unproven', '401 invalid_client', prove('own'))
  },
)

t.test('a third party that is away is no error of this server in its log', async (t) => {
  const service = await scene(t, {
    ...EXPLAINED,
    sign_in: 'directory',
    ldap_url: `ldap://127.0.0.1:${await freePort()}`,
    ldap_tls: 'off',
    ldap_base_dn: 'dc=example,dc=com',
  })
  const dave = service.visitor()
  await signInOn(dave, await dave.page(requestUrl()), 'dave')
  await happensAt(t, service).happened('directory_away')
  const lines = service.log
    .flatMap((text) => text.split('\n').filter(Boolean))
    .map((line) => JSON.parse(line))
  const [line] = lines.filter(({ reason }) => reason === 'directory_away')
  t.match(line, { level: 30, received: { party: 'directory', step: 'connection', code: 'ECONNREFUSED' } })
})

t.test('a directory that answers again is noted, and nothing of one that always did', async (t) => {
  let ahead = 0
  const instead: { now?: Instead } = {
    now: ({ ask }, socket) => {
      if (ask === 'search') socket.destroy()
      return ask === 'search'
    },
  }
  const directory = await startFakeDirectory(t, [personNamed('carol')], instead)
  const service = await scene(t, {
    ...EXPLAINED,
    ...directory.settings,
    now: () => Date.now() + ahead,
  })
  const { outcomes } = service.fastify.redmint
  const signIn = async () => {
    const carol = service.visitor()
    await signInOn(carol, await carol.page(requestUrl()), 'carol', 'password of carol')
    return outcomes.takeChanged().get('directory')
  }
  t.match(await signIn(), { error: { step: 'connection', code: 'closed' } })
  delete instead.now
  // It is left alone for two seconds.
  ahead += 5000
  t.match(await signIn(), { success_at: Number })
  t.equal(await signIn(), undefined)
})
