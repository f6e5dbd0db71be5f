// `redmint provider test`: what is wrong with the record of a provider, or at the provider.
import t from 'tap'
import type { GuardedFetch } from '../../../../src/outbound/guarded-fetch.ts'
import { guardedFetch } from '../../../../src/outbound/guarded-fetch.ts'
import { callbackOf } from '../../../../src/providers/callback.ts'
import { openClientSecret, sealClientSecret } from '../../../../src/providers/client-secret.ts'
import { examineProvider } from '../../../../src/providers/examine.ts'
import type { ExamineContext } from '../../../../src/providers/examined.ts'
import { formatProvider, type Provider, parseProvider } from '../../../../src/providers/provider-record.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import {
  CLIENT_ID,
  PROVIDER_ISSUER,
  SECRET,
  startProvider,
} from '../../../support/providers/fake-provider.ts'

const ISSUER = 'https://login.example.com'
const settings = { issuer: ISSUER }

function providerOf(fields: Partial<Provider> = {}): Provider {
  const provider = { provider: 'acme', kind: 'oidc', issuer: PROVIDER_ISSUER, client_id: CLIENT_ID } as const
  const parsed = parseProvider('acme', formatProvider({ ...provider, ...fields }))
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.problems))
  return parsed.record
}

async function withSecret(context: ExamineContext, secret: string, fields: Partial<Provider> = {}) {
  const provider = providerOf(fields)
  return { ...provider, client_secret_sealed: await sealClientSecret(context, provider, secret) }
}

t.test('each problem is named', async (t) => {
  const { fetch } = await startProvider(t, callbackOf(settings, 'acme'))
  const context = { storage: new MemoryStorage(), settings, fetch, now: Date.now }
  const examine = async (provider: Provider, more: Partial<ExamineContext> = {}) =>
    (await examineProvider({ ...context, ...more }, provider)).map(
      ({ about, result }) => `${about} ${result}`,
    )
  const fine = ['discovery ok', 'keys ok', 'callback ok', 'secret ok']
  t.strictSame(await examine(await withSecret(context, SECRET)), fine)
  t.strictSame(await examine(await withSecret(context, 'wrong')), [...fine.slice(0, 3), 'secret wrong'])
  t.strictSame(await examine(providerOf()), [...fine.slice(0, 3), 'secret unknown'])
  t.match(await examine(await withSecret(context, SECRET, { client_id: 'nobody' })), [
    ...fine.slice(0, 2),
    'callback wrong',
    'secret wrong',
  ])
  const moved = { ...(await withSecret(context, SECRET)), provider: 'other' }
  t.strictSame((await examine(moved)).at(-1), 'secret wrong', 'it was for another provider')
  const away = { records: { read: () => Promise.reject(new StorageUnavailable('away')) } }
  const unread = { storage: away as unknown as MemoryStorage }
  await t.rejects(examine(moved, unread), StorageUnavailable, 'that is not a problem of the provider')
  const elsewhere = { settings: { ...settings, issuer: 'https://other.example.com' } }
  t.strictSame((await examine(await withSecret(context, SECRET), elsewhere))[2], 'callback wrong')
  t.strictSame(await examine(providerOf({ issuer: 'https://nowhere.example.org' })), ['discovery wrong'])
  const other: GuardedFetch = (url, init) => fetch(url.replace('other.', 'accounts.'), init)
  const mismatch = await examineProvider(
    { ...context, fetch: other },
    providerOf({ issuer: 'https://other.example.org' }),
  )
  t.match(mismatch, [{ about: 'discovery', result: 'wrong', detail: /of another issuer/ }])
  const broken: GuardedFetch = async () => new Response('', { status: 503 })
  const [answered] = await examineProvider({ ...context, fetch: broken }, providerOf())
  t.match(answered, { about: 'discovery', detail: /HTTP_503/ }, 'nothing is wrong with the issuer')
})

t.test('F9: a provider at a private address is not asked', async (t) => {
  const fetch = guardedFetch({ issuer_private_hosts: [] })
  const context = { storage: new MemoryStorage(), settings, fetch, now: Date.now }
  const [found, ...more] = await examineProvider(context, providerOf({ issuer: 'https://127.0.0.1:1' }))
  t.match(found, { result: 'wrong', detail: /ENOTPUBLIC.*ISSUER_PRIVATE_HOSTS/ })
  t.strictSame(more, [])
  for (const url of ['http://accounts.example.org/', 'https://user@accounts.example.org/'])
    await t.rejects(fetch(url, { method: 'GET', headers: {} }), { message: /not an https URL/ })
})

t.test('a secret is for one provider, issuer and client_id', async (t) => {
  const context = { storage: new MemoryStorage(), settings: {} }
  const provider = providerOf()
  const client_secret_sealed = await sealClientSecret(context, provider, SECRET)
  t.notMatch(client_secret_sealed, SECRET)
  t.equal(await openClientSecret(context, { ...provider, client_secret_sealed }), SECRET)
  for (const change of [{ provider: 'other' }, { issuer: 'https://evil.example' }, { client_id: 'other' }]) {
    const changed = { ...provider, ...change, client_secret_sealed }
    t.equal(await openClientSecret(context, changed), undefined, JSON.stringify(change))
  }
  t.equal(await openClientSecret(context, provider), undefined)
})
