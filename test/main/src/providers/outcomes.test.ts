// What redmint notes of providers: what last came of asking them, for all replicas, and how many people they are linked to.
import t from 'tap'
import { readProviderOutcomes } from '../../../../src/service/outcome-keeper.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { adminCalls, createAdministrator } from '../../../support/admin.ts'
import { comeBy, federate, leave, type Meddle, UPSTREAM } from '../../../support/providers/federation.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const THERE = linkOf(UPSTREAM, 'sub-of-alice')
const CONSOLE = { admin_api: 'on', console: 'on', keepers: { every: 20 } } as const

t.test('the last success and the last error of a provider', async (t) => {
  const meddle: { now: Meddle } = { now: async () => undefined }
  const { person, storage, setFields, ...service } = await federate(t, {}, CONSOLE, meddle)
  await setFields('alice', { linked_subjects: THERE })
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
  t.match(await use(), { provider: 'acme', last_error: { step: 'token', code: 'ECONNREFUSED' } })
  t.notOk((await use())?.last_success_at)
  meddle.now = async () => undefined
  t.ok('location' in (await comeBy(person())))
  await until('the success is noted', async () => (await use())?.last_success_at !== undefined)
  t.match(await use(), { last_error: { code: 'ECONNREFUSED' } }, 'and the error stays')

  await setFields('bob', { linked_subjects: `${THERE} ${linkOf('https://ci.example.com', 'x')}` })
  service.pass(90_000)
  await until('people are counted once a day', async () => (await use())?.linked === 2)
  await service.provide('other', { issuer: 'https://other.example' })
  await until('a new one is counted at once', async () => (await use('other'))?.linked === 0)
})

t.test('what a person or a stranger says is no error of a provider', async (t) => {
  const { person, fastify } = await federate(t, {}, CONSOLE)
  const { outcomes, storage } = fastify.redmint
  const backWith = async (error: string) => {
    const alice = person()
    const { location } = await leave(alice)
    const state = location.searchParams.get('state')
    const { pathname } = new URL(location.searchParams.get('redirect_uri') ?? '')
    asPage(await alice.here.open(`${pathname}?error=${error}&iss=${UPSTREAM}&state=${state}`))
  }
  for (const error of ['access_denied', 'login_required', 'words_of_a_stranger']) await backWith(error)
  t.equal(outcomes.takeChanged().size, 0)
  t.same(await readProviderOutcomes(storage), new Map())
  await backWith('unauthorized_client')
  t.match(
    [...outcomes.takeChanged()],
    [['provider:acme', { error: { step: 'answer', code: 'unauthorized_client' } }]],
  )
})

t.test('the console shows them in the list and on the page', async (t) => {
  const { person, storage, visitor, setFields } = await federate(t, {}, CONSOLE)
  await setFields('alice', { linked_subjects: THERE })
  await createAdministrator(storage, 'ada', 'redmint:read redmint:write')
  t.ok('location' in (await comeBy(person())))
  const ada = visitor()
  asPage(await signInOn(ada, await ada.page('/console/providers'), 'ada'))
  const text = async (path: string) => (await ada.page(`/console${path}`)).text
  await until('it is noted', async () => /this minute| ago/.test(await text('/providers')))
  await until('it is counted', async () => (await text('/providers')).includes('1 person'))
  t.match(await text('/providers'), /1 person, used <time.*works/)
  const page = await text('/providers/acme')
  t.match(page, 'Last sign-in by it')
  t.match(page, 'People linked')
  t.match(page, '/console/providers/acme/test')
})

t.test('without providers nobody is counted, and without outcomes nothing is kept', async (t) => {
  const { storage, fastify } = await federate(t, {}, { keepers: { every: 20 } })
  await fastify.close()
  t.same(await readProviderOutcomes(storage), new Map())
})
