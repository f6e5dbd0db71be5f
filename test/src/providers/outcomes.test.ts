// What redmint notes of providers: what last came of asking them, for all replicas, and how many people they are linked to.
import t from 'tap'
import { linkOf } from '../../../src/accounts/sign-in-names.ts'
import { SILENT } from '../../../src/core/log.ts'
import { OutcomeKeeper, readOutcomes } from '../../../src/providers/outcome-keeper.ts'
import { LastOutcomes } from '../../../src/providers/outcomes.ts'
import { ProviderFailure } from '../../../src/providers/upstream.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { adminCalls, createAdministrator } from '../../support/admin.ts'
import { until } from '../../support/until.ts'
import { asDeparture, asPage } from '../../support/visitor.ts'
import { signInOn } from '../authorize/people.ts'
import { comeBy, federate, leave, type Meddle, setFields, UPSTREAM } from './federation.ts'

const THERE = linkOf(UPSTREAM, 'sub-of-alice')
const CONSOLE = { admin_api: 'on', console: 'on', keepers: { every: 20 } } as const
const NOON = Date.parse('2026-11-28T12:00:00Z')
const HOUR = 3_600_000

t.test('the last success and the last error of a provider', async (t) => {
  const meddle: { now: Meddle } = { now: async () => undefined }
  const { person, storage, ...service } = await federate(t, {}, CONSOLE, meddle)
  await setFields(storage, 'alice', { linked_subjects: THERE })
  const { call, tokenOf } = adminCalls({ storage, ...service })
  const use = async (name = 'acme') => {
    const { json } = await call('GET', '/provider-uses', { token: await tokenOf('redmint:read') })
    return (json as { items: Record<string, unknown>[] }).items.find(({ provider }) => provider === name)
  }
  t.notOk((await use())?.last_success_at)
  meddle.now = async (url) => {
    if (url.pathname !== '/oauth2/token') return undefined
    throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' })
  }
  asPage(await comeBy(person()))
  await until('the error is noted', async () => (await use())?.last_error !== undefined)
  t.match(await use(), { provider: 'acme', last_error: { code: 'ECONNREFUSED' } })
  t.notOk((await use())?.last_success_at)
  meddle.now = async () => undefined
  t.ok('location' in (await comeBy(person())))
  await until('the success is noted', async () => (await use())?.last_success_at !== undefined)
  t.match(await use(), { last_error: { code: 'ECONNREFUSED' } }, 'and the error stays')

  await setFields(storage, 'bob', { linked_subjects: `${THERE} ${linkOf('https://ci.example.com', 'x')}` })
  service.pass(90_000)
  await until('people are counted once a day', async () => (await use())?.linked === 2)
  await service.provide('other', { issuer: 'https://other.example' })
  await until('a new one is counted at once', async () => (await use('other'))?.linked === 0)
})

t.test('what a person or a stranger says is no error of a provider', async (t) => {
  const { person, fastify } = await federate(t, {}, CONSOLE)
  const outcomes = new LastOutcomes()
  const refusals = ['access_denied', 'login_required', 'NOT_FRESH', 'words_of_a_stranger']
  for (const code of refusals) outcomes.failed('acme', new ProviderFailure('denied', code), NOON)
  t.equal(outcomes.takeChanged().size, 0)
  outcomes.failed('acme', new ProviderFailure('denied', 'unauthorized_client'), NOON)
  t.same([...outcomes.takeChanged()], [['acme', { error: { at: NOON, code: 'unauthorized_client' } }]])
  const alice = person()
  const { location } = await leave(alice)
  const back = `${new URL(location.searchParams.get('redirect_uri') ?? '').pathname}?error=evil_words&state=${location.searchParams.get('state')}`
  asPage(await alice.here.open(back))
  t.same(await readOutcomes(fastify.redmint.storage), new Map())
})

t.test('of two replicas the later one counts, and what storage did not take is written later', async (t) => {
  const storage = new MemoryStorage()
  const replicas = [1, 2].map(() => new LastOutcomes())
  const [one, other] = replicas as [LastOutcomes, LastOutcomes]
  const write = async (outcomes: LastOutcomes, store: Pick<MemoryStorage, 'rosters'> = storage) =>
    new OutcomeKeeper({ storage: store, log: SILENT }, outcomes).close()
  one.succeeded('acme', NOON)
  one.failed('acme', new ProviderFailure('broken', 'STATUS'), NOON)
  other.succeeded('acme', NOON + HOUR)
  other.failed('acme', new ProviderFailure('broken', 'ETIMEDOUT'), NOON - HOUR)
  await write(other)
  await write(one)
  const acme = { success_at: NOON + HOUR, error: { at: NOON, code: 'STATUS' } }
  t.same(await readOutcomes(storage), new Map([['acme', acme]]))
  let writes = 0
  const away: Pick<MemoryStorage, 'rosters'> = {
    rosters: Object.assign(Object.create(storage.rosters), {
      read: async () => {
        writes += 1
        throw new StorageUnavailable('away')
      },
    }),
  }
  one.succeeded('acme', NOON + 2 * HOUR)
  await write(one, away)
  t.equal(writes, 1)
  await write(one)
  t.equal((await readOutcomes(storage)).get('acme')?.success_at, NOON + 2 * HOUR)
  await write(one, away)
  t.equal(writes, 1, 'without news nothing is asked of storage')
})

t.test('the console shows them in the list and on the page', async (t) => {
  const { person, storage, visitor } = await federate(t, {}, CONSOLE)
  await setFields(storage, 'alice', { linked_subjects: THERE })
  await createAdministrator(storage, 'ada', 'redmint:read redmint:write')
  t.ok('location' in (await comeBy(person())))
  const ada = visitor()
  asPage(await signInOn(ada, await ada.page('/console/providers'), 'ada'))
  const text = async (path: string) => (await ada.page(`/console${path}`)).text
  await until('it is noted', async () => /this minute| ago/.test(await text('/providers')))
  await until('it is counted', async () => (await text('/providers')).includes('1, counted'))
  for (const path of ['/providers', '/providers/acme']) {
    t.match(await text(path), 'Last success', path)
    t.match(await text(path), 'People linked', path)
  }
  t.match(await text('/providers/acme'), '/console/providers/acme/test')
})

t.test('with CONSOLE off nothing is kept, and without providers nobody is counted', async (t) => {
  const { person, storage, fastify } = await federate(t, {}, { keepers: { every: 20 } })
  await setFields(storage, 'alice', { linked_subjects: THERE })
  asDeparture(await comeBy(person()))
  await fastify.close()
  t.same(await readOutcomes(storage), new Map())
})
