// A client with keys that an operator wrote with redis-cli, and whose keys are replaced: every replica knows it at once.

import t from 'tap'
import type { GetDocument } from '../../../src/outbound/public-get.ts'
import { onRedis } from '../../support/matrix.ts'
import { operatorOn } from '../../support/operator.ts'
import { isWatching } from '../../support/records.ts'
import { type Service, startService } from '../../support/service.ts'
import { assertionOf, CLIENT_ASSERTION_TYPE, claimsOf, issuerKey } from '../../support/trusted-issuer.ts'
import { until } from '../../support/until.ts'

const [OLD, NEW] = [issuerKey('old'), issuerKey('new')]

onRedis(t, 'keys that are refreshed are replaced at every replica', async (t, { storage, keys, server }) => {
  let published = OLD
  const get: GetDocument = async () => ({ ok: true, document: { keys: [published.jwk] }, headers: {} })
  const fetch_client_keys = { registered: get, described: get }
  const replicas = [
    await startService(t, { storage, fetch_client_keys }),
    await startService(t, { storage, fetch_client_keys }),
  ] as const
  await until('clients are watched', () => isWatching(storage))
  const fields = {
    is_public: 'false',
    grant_types: 'client_credentials',
    allowed_scopes: 'api.read',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: 'https://bank.example.com/keys',
  }
  await server.cli('HSET', keys.client('bank'), ...Object.entries(fields).flat())
  const status = async ({ token }: Service, key = OLD) => {
    const client_assertion = assertionOf(key, claimsOf('bank', 'bank'))
    const proof = { client_assertion, client_assertion_type: CLIENT_ASSERTION_TYPE }
    return (await token({ grant_type: 'client_credentials', ...proof })).status
  }
  for (const replica of replicas) t.equal(await status(replica), 200)
  published = NEW
  for (const replica of replicas) t.equal(await status(replica), 200, 'it still has what it fetched')
  await operatorOn(storage).run('refresh_client_keys', { params: { client_id: 'bank' } })
  for (const replica of replicas) {
    await until('it forgets the old key', async () => (await status(replica)) === 401)
    t.equal(await status(replica, NEW), 200, 'and knows the new one')
  }
  await server.cli('HSET', keys.client('bank'), 'jwks', '{"keys":[]}')
  for (const replica of replicas)
    await until('a malformed record refuses the client', async () => (await status(replica, NEW)) === 401)
})
