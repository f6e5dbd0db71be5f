// `redmint dev check-api` against an API with each fault planted in it (D9), against one with none, and against our own guard.
import Fastify from 'fastify'
import t from 'tap'
import { type ApiToCheck, checkApiAt } from '../../../dev/check-api/check-api.ts'
import { API_CHECKS } from '../../../dev/check-api/checks.ts'
import { verdictOf } from '../../../dev/report/report.ts'
import { startParts } from '../../../dev/start.ts'
import resourceServer from '../../../exports/resource-server.ts'
import { ApiWithFaults, RESOURCE, SCOPE } from '../../support/dev/api.ts'
import { notPassed } from '../../support/dev/not-passed.ts'

const api = new ApiWithFaults()
const origin = await api.start()
t.teardown(() => api.close())
const { redmint, parts } = await startParts({})
t.teardown(() => redmint.close())
api.issuer = redmint.issuer

const check = (options: Partial<ApiToCheck> = {}) =>
  checkApiAt(parts, { url: `${origin}/orders`, resource: RESOURCE, scope: SCOPE, ...options })

t.test('D9: an API without a fault passes every check', async (t) => {
  api.faults = new Set()
  const report = await check()
  t.same(notPassed(report), [])
  t.equal(report.results.length, API_CHECKS.length)
})

for (const { id, level } of API_CHECKS) {
  t.test(`D9: the fault ${id} is found`, async (t) => {
    api.faults = new Set([id])
    const { results } = await check({ only: [id] })
    const [result] = results
    t.ok(result, 'the check runs')
    if (result)
      t.equal(verdictOf(result), level === 'advice' ? 'advice' : 'failed', JSON.stringify(result.outcome))
  })
}

t.test('D9: redmint/resource-server passes every check', async (t) => {
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  await fastify.register(resourceServer, { issuer: redmint.issuer, resource: RESOURCE, dev: 'allow' })
  fastify.get('/orders', { onRequest: fastify.protect({ scopes: [SCOPE] }) }, async () => [])
  const url = `${await fastify.listen({ port: 0, host: 'localhost' })}/orders`
  t.same(notPassed(await check({ url })), [])
})

t.test('an API that takes no token at all is not checked', async (t) => {
  api.faults = new Set()
  const { results, stopped } = await check({ resource: 'https://another.test' })
  t.same(results, [])
  t.match(stopped, /answers 401 to a token that is right: .*audience https:\/\/another\.test/)
})

t.test('nothing that listens is said', async (t) => {
  const { stopped } = await check({ url: 'http://localhost:1/', wait: 0 })
  t.equal(stopped, 'Nothing listens at http://localhost:1.')
})
