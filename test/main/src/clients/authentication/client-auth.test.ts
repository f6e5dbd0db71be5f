import t from 'tap'
import { authenticateClient } from '../../../../../src/clients/authentication/client-auth.ts'
import { readClientCredentials } from '../../../../../src/clients/authentication/client-credentials.ts'
import { ClientRegistry } from '../../../../../src/clients/client-registry.ts'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { secretHash } from '../../../../../src/clients/record/client-secret.ts'
import { type Parameters, readParameters } from '../../../../../src/core/parameters.ts'
import { type Attempt, type FailureCount, FailureLimit } from '../../../../../src/limits/failure-limit.ts'
import { readLockouts } from '../../../../../src/limits/lockouts.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { spyOn } from '../../../../support/matrix.ts'
import { changeClient, createClient, removeClient } from '../../../../support/records.ts'
import { CLIENTS, ISSUER, SECRET } from '../../../../support/service.ts'

const read = (form: string, username?: string, password = '') =>
  readClientCredentials(username === undefined ? undefined : { username, password }, readParameters(form))

t.test('the credentials that a request contains', async (t) => {
  t.same(read('client_id=a'), { client_id: 'a' }, 'a public client')
  t.same(read('client_id=a&client_secret='), { client_id: 'a' }, 'an empty secret counts as absent')
  t.same(read('client_id=a&client_secret=b'), { client_id: 'a', client_secret: 'b' })
  t.same(read('', 'a', 'b'), { client_id: 'a', client_secret: 'b' })
  t.same(read('client_id=a', 'a', 'b'), { client_id: 'a', client_secret: 'b' }, 'the same id twice')
  t.same(
    read('client_id=a+b', 'a%20b', 'c'),
    { client_id: 'a b', client_secret: 'c' },
    'compared after decoding',
  )
  t.same(read('', 'a', ''), { client_id: 'a' }, 'also in the header')
  t.same(read('client_id=a&client_secret=', 'a', ''), { client_id: 'a' })
  t.same(read('client_secret=b', 'a', ''), { client_id: 'a', client_secret: 'b' }, 'so this is one secret')
  t.same(read('client_secret=', 'a', 'b'), { client_id: 'a', client_secret: 'b' })
  t.same(read(''), {})
  t.same(read('client_secret=b'), { client_secret: 'b' }, 'a secret of nobody')
  t.same(read('', 'a+b', 'c%3Ad%2B%25'), { client_id: 'a b', client_secret: 'c:d+%' }, 'form-encoded')
})

t.test('contradictory and malformed credentials are refused', async (t) => {
  t.throws(() => read('', '', 'b'), { code: 'invalid_client', status: 401 })
  t.throws(() => read('client_id=a', '', ''), { code: 'invalid_client' })
  t.throws(() => read('client_id=b', 'a', ''), { code: 'invalid_request' })
  t.throws(() => read('client_secret=b', 'a', 'b'), { code: 'invalid_request', status: 400 })
  t.throws(() => read('client_id=a&client_secret=b', 'a', 'b'), { code: 'invalid_request' })
  t.throws(() => read('client_id=b', 'a', 'b'), { code: 'invalid_request' })
  for (const wrong of ['%', '%zz', '%FF', '%00', 'a\n']) {
    t.throws(() => read('', wrong, 'b'), { code: 'invalid_client' }, `id ${JSON.stringify(wrong)}`)
    t.throws(() => read('', 'a', wrong), { code: 'invalid_client' }, `secret ${JSON.stringify(wrong)}`)
  }
})

/** What only assertions need. */
const NO_ISSUERS = {
  storage: new MemoryStorage(),
  settings: { issuer: ISSUER, trusted_issuers: false },
  issuers: { find: async () => undefined },
  key_sets: { find: async () => undefined },
  keys: { notBefore: 0 },
  client_keys: { find: async () => undefined, findCertified: async () => undefined },
  described_assertions: { take: () => true },
}

const NO_CERTIFICATE = { ok: false, reason: 'no client certificate' } as const

/** Authenticates with form parameters, under a limit that is never reached; `note` gets the digest that was used. */
function authenticate(
  clients: ClientRegistry,
  parameters: Parameters,
  now = 0,
  note: (client_id: string, digest: string, is_short: boolean) => void = () => {},
  failures = new FailureLimit(1000, 60, Date.now, new MemoryStorage()),
  counted: FailureCount = { remaining: 1000, is_exceeded: false, ttl: 60_000 },
) {
  const countFailure = async () => counted
  return authenticateClient(
    { ...NO_ISSUERS, clients, failures, secret_uses: { note }, now: () => now },
    { basic: undefined, endpoint: '', certificate: () => NO_CERTIFICATE, address: () => '', countFailure },
    parameters,
  )
}

async function registered() {
  const spy = spyOn(new MemoryStorage())
  const warnings: object[] = []
  const log = { info() {}, warn: (details: object) => void warnings.push(details), error() {} }
  for (const client of [
    CLIENTS.service,
    CLIENTS.app,
    { ...CLIENTS.service, client_id: 'disabled', disabled: true },
    { ...CLIENTS.app, client_id: 'disabled-app', disabled: true },
  ]) {
    await createClient(spy.storage, client.client_id, formatClient(client))
  }
  const clients = new ClientRegistry({ storage: spy.storage, log, settings: { demo: false }, now: Date.now })
  spy.calls.length = 0
  return { clients, spy, warnings }
}

t.test('which credentials authenticate a client', async (t) => {
  const { clients } = await registered()
  const service = await authenticate(clients, { client_id: 'service', client_secret: SECRET })
  t.equal(service.client_id, 'service')
  t.equal((await authenticate(clients, { client_id: 'app' })).client_id, 'app')
  const refused: [name: string, client_id: string, client_secret?: string][] = [
    ['unknown', 'nobody', SECRET],
    ['unknown, without a secret', 'nobody'],
    ['a wrong secret', 'service', 'wrong'],
    ['an empty secret', 'service', ''],
    ['no secret', 'service'],
    ['the digest as secret', 'service', CLIENTS.service.client_secret_hash],
    ['a public client with a secret', 'app', SECRET],
    ['a public client with an empty secret', 'app', ''],
    ['disabled', 'disabled', SECRET],
    ['disabled and public', 'disabled-app'],
    ['an id that no client can have', 'sérvice', SECRET],
    ['no id', '', SECRET],
  ]
  for (const [name, client_id, client_secret] of refused) {
    const credentials = { client_id, ...(client_secret === undefined ? {} : { client_secret }) }
    await t.rejects(authenticate(clients, credentials), { code: 'invalid_client', status: 401 }, name)
  }
})

t.test(
  'whatever secret has the stored digest authenticates, however short; an empty one never',
  async (t) => {
    const { clients, spy } = await registered()
    const ends = Date.parse('2026-11-22T08:00:00.000Z')
    for (const client_secret of ['', 'x', 'päss', 'x'.repeat(15), 'x'.repeat(16)]) {
      const client_secret_hash = secretHash(client_secret)
      const old = { old_secret_hash: client_secret_hash, old_secret_ends_at: new Date(ends).toISOString() }
      for (const [field, secrets] of Object.entries({ present: { client_secret_hash }, old })) {
        const client_id = `${field}-${client_secret.length}`
        await createClient(spy.storage, client_id, {
          ...formatClient({ ...CLIENTS.service, client_id }),
          ...secrets,
        })
        const uses: unknown[] = []
        const note = (...use: unknown[]) => void uses.push(use)
        const attempt = authenticate(clients, { client_id, client_secret }, ends - 1, note)
        if (client_secret === '') await t.rejects(attempt, { code: 'invalid_client', status: 401 }, client_id)
        else {
          t.equal((await attempt).client_id, client_id)
          t.same(
            uses,
            [[client_id, client_secret_hash, client_secret.length < 16]],
            'a short one is noted as such',
          )
        }
      }
    }
  },
)

t.test('an old secret is accepted until it ends, and the present one always', async (t) => {
  const { clients, spy } = await registered()
  const ends = Date.parse('2026-11-22T08:00:00.000Z')
  const { client_secret_hash } = CLIENTS.service
  const record = {
    ...formatClient(CLIENTS.service),
    client_id: 'two',
    old_secret_hash: secretHash('an-old-secret-of-this-client'),
    old_secret_ends_at: new Date(ends).toISOString(),
  }
  await createClient(spy.storage, 'two', record)
  const uses: [string, string][] = []
  const attempt = (client_secret: string, now: number) =>
    authenticate(
      clients,
      { client_id: 'two', client_secret },
      now,
      (...[id, digest]) => void uses.push([id, digest]),
    )
  await attempt('an-old-secret-of-this-client', ends - 1)
  await attempt(SECRET, ends - 1)
  await attempt(SECRET, ends)
  const { old_secret_hash } = record
  t.same(
    uses,
    [old_secret_hash, client_secret_hash, client_secret_hash].map((digest) => ['two', digest]),
  )
  for (const secret of ['an-old-secret-of-this-client', 'an-older-secret-of-this-client']) {
    await t.rejects(attempt(secret, ends), { code: 'invalid_client' }, 'also with the cached record')
  }
  await t.rejects(attempt('an-older-secret-of-this-client', ends - 1), { code: 'invalid_client' })
  t.equal(uses.length, 3, 'no use of a refused secret is noted')
})

t.test('every byte of the digest is compared', async (t) => {
  const { clients, spy } = await registered()
  for (const index of [0, 7, 8, 15, 16, 31]) {
    const digest = Buffer.from(CLIENTS.service.client_secret_hash, 'base64')
    digest.writeUInt8(digest.readUInt8(index) ^ 1, index)
    const client_id = `near-${index}`
    const near = { ...CLIENTS.service, client_id, client_secret_hash: digest.toString('base64') }
    await createClient(spy.storage, client_id, formatClient(near))
    const attempt = authenticate(clients, { client_id, client_secret: SECRET })
    await t.rejects(attempt, { code: 'invalid_client' }, `byte ${index}`)
  }
})

t.test('client records are cached after the first success only', async (t) => {
  const { clients, spy } = await registered()
  const attempt = async (client_id: string, client_secret: string) => {
    spy.calls.length = 0
    await authenticate(clients, { client_id, client_secret }).catch(() => undefined)
    return spy.calls
  }
  t.same(await attempt('service', SECRET), ['read client'], 'the first time')
  t.same(await attempt('service', SECRET), [], 'cached from then on')
  for (const [client_id, secret] of [
    ['service', 'wrong'],
    ['nobody', SECRET],
    ['app', SECRET],
    ['disabled', SECRET],
  ]) {
    for (const time of ['first', 'second']) {
      t.same(
        await attempt(String(client_id), String(secret)),
        ['read client'],
        `${client_id}, the ${time} time`,
      )
    }
  }
})

t.test('a changed record takes effect at once', async (t) => {
  const { clients, spy } = await registered()
  const credentials = { client_id: 'service', client_secret: SECRET }
  await authenticate(clients, credentials)
  await changeClient(spy.storage, 'service', { set: { disabled: 'true' }, unset: [] })
  await t.rejects(authenticate(clients, credentials), { code: 'invalid_client' })
  await changeClient(spy.storage, 'service', { set: {}, unset: ['disabled'] })
  t.equal((await authenticate(clients, credentials)).client_id, 'service')
  await removeClient(spy.storage, 'service')
  await t.rejects(authenticate(clients, credentials), { code: 'invalid_client' })
})

t.test('a record that changes while an attempt waits takes effect for this attempt', async (t) => {
  const { clients, spy } = await registered()
  const credentials = { client_id: 'service', client_secret: SECRET }
  await authenticate(clients, credentials)
  class Waiting extends FailureLimit {
    override get is_quiet(): boolean {
      return false
    }
    override async check<T>(attempt: Attempt<T>): Promise<T> {
      await changeClient(spy.storage, 'service', { set: { disabled: 'true' }, unset: [] })
      return super.check(attempt)
    }
  }
  const attempt = authenticate(
    clients,
    credentials,
    0,
    undefined,
    new Waiting(1000, 60, Date.now, spy.storage),
  )
  await t.rejects(attempt, { code: 'invalid_client' })
})

t.test('after the last failure that is allowed, the right secret is refused, too', async (t) => {
  const { clients } = await registered()
  const limit = new FailureLimit(1, 60, Date.now, new MemoryStorage())
  const attempt = (client_secret: string) => {
    const last = { remaining: 0, is_exceeded: false, ttl: 60_000 }
    return authenticate(clients, { client_id: 'service', client_secret }, 0, undefined, limit, last)
  }
  await attempt(SECRET)
  await t.rejects(attempt('wrong'), { code: 'invalid_client', status: 401 })
  await t.rejects(attempt(SECRET), { code: 'temporarily_unavailable', status: 429 })
})

t.test('a lockout names the client also while nothing is cached', async (t) => {
  const { clients, spy } = await registered()
  spy.storage.changes.isLive = () => false
  const limit = new FailureLimit(1, 60, Date.now, new MemoryStorage())
  const last = { remaining: 0, is_exceeded: false, ttl: 60_000 }
  const guess = authenticate(
    clients,
    { client_id: 'service', client_secret: 'wrong' },
    0,
    undefined,
    limit,
    last,
  )
  await t.rejects(guess, { code: 'invalid_client' })
  t.match(await readLockouts(NO_ISSUERS.storage), [{ counter: 'client_auth', client_id: 'service' }])
})

t.test('a storage fault is passed on, and is not cached', async (t) => {
  const { clients, spy } = await registered()
  spy.fault = new Error('away')
  await t.rejects(authenticate(clients, { client_id: 'service', client_secret: SECRET }), {
    message: 'away',
  })
  spy.fault = undefined
  await authenticate(clients, { client_id: 'service', client_secret: SECRET })
  t.pass('the next attempt succeeds')
})

t.test('a client with a malformed record is refused, and the log names the field', async (t) => {
  const { clients, spy, warnings } = await registered()
  await createClient(spy.storage, 'odd', {
    ...formatClient(CLIENTS.service),
    client_id: 'odd',
    is_public: 'maybe',
  })
  await t.rejects(authenticate(clients, { client_id: 'odd', client_secret: SECRET }), {
    code: 'invalid_client',
  })
  t.has(warnings, [{ client_id: 'odd', field: 'is_public' }])
})
