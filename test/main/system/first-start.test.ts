// The first start of an installation: the service serves while its RSA keys are made.
import t, { type Test } from 'tap'
import { SIGNING_ALGS } from '../../../src/core/algs.ts'
import { QUICK_ALGS } from '../../../src/keys/generate.ts'
import { maintainSigningKeys } from '../../../src/keys/rotate.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { gatedKeys } from '../../support/gated-keys.ts'
import type { TestOptions } from '../../support/service.ts'
import { basic, codeRequest, startService } from '../../support/service.ts'

const READINESS = '/actuator/health/readiness'
const DISCOVERY = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
const KEY_SET = '/.well-known/jwks.json'

/** A service whose RSA keys are made when `finish` is called. */
async function startFirst(t: Test, options: TestOptions = {}) {
  const { make: make_key_pair, finish } = await gatedKeys()
  t.teardown(finish)
  const storage = new MemoryStorage()
  // As at the first start: otherwise startService puts in the keys of all tests.
  await maintainSigningKeys(storage.signing_keys, { key_rotation_days: 90 }, new Date(), { algs: QUICK_ALGS })
  return { finish, ...(await startService(t, { storage, make_key_pair, ...options })) }
}

t.test('it is ready and issues tokens that need no RSA key', async (t) => {
  const { get, token } = await startFirst(t, { access_token_format: 'jwt' })
  t.equal((await get(READINESS)).status, 200)
  t.equal((await token({ grant_type: 'client_credentials' }, basic('service'))).status, 200)
})

t.test('it is not ready before the key of ACCESS_TOKEN_ALG is made', async (t) => {
  const { get, finish } = await startFirst(t, { access_token_alg: 'RS256' })
  t.equal((await get(READINESS)).status, 503)
  finish()
  t.equal((await get(KEY_SET)).status, 200)
  t.equal((await get(READINESS)).status, 200)
})

t.test('discovery, the key set and sign-ins wait for the RSA keys', async (t) => {
  const { get, token, code, finish } = await startFirst(t)
  const answers = Promise.all([
    ...DISCOVERY.map((path) => get(path)),
    get(KEY_SET),
    token(codeRequest(await code())),
  ])
  finish()
  const [openid, oauth, keySet, tokens] = await answers
  for (const metadata of [openid, oauth]) {
    t.same(metadata?.json.id_token_signing_alg_values_supported, SIGNING_ALGS)
  }
  const keys = keySet?.json.keys as { alg: string }[]
  t.same([...new Set(keys.map(({ alg }) => alg))].sort(), [...SIGNING_ALGS].sort())
  const header = String(tokens?.json.id_token).split('.')[0] ?? ''
  t.match(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'RS256' })
})

t.test('a request that waits too long gets 503 with Retry-After, and no code is spent', async (t) => {
  const { get, token, code, finish } = await startFirst(t)
  const request = codeRequest(await code())
  const answers = await Promise.all([...[...DISCOVERY, KEY_SET].map((path) => get(path)), token(request)])
  for (const { status, headers, json } of answers) {
    t.equal(status, 503)
    t.match(headers['retry-after'], /^[1-9]/)
    t.notMatch(headers['cache-control'] ?? '', /public/)
    t.equal(json.error, 'temporarily_unavailable')
  }
  finish()
  t.match((await token(request)).json, { id_token: String })
})
