// What browsers get while storage does not answer: a page at every path to which people come, and never JSON.
import t from 'tap'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { storeUsers } from '../../support/accounts.ts'
import { failing } from '../../support/expect.ts'
import { CONSOLE, storeOperators } from '../../support/scene/operators.ts'
import { signInOn, visitorOf } from '../../support/scene/requests.ts'
import { startService } from '../../support/service.ts'
import type { Visitor } from '../../support/visitor.ts'

const HEADERS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'content-type': 'application/x-www-form-urlencoded',
}
/** What programs ask for: its errors are those of its specification, whoever opens it. */
const FOR_PROGRAMS =
  /^\/(api|admin\/v1|userinfo|health|actuator|openapi\.json|\.well-known|auth\/forward|oauth2\/(par|token|introspect|revoke|register|device_authorization))(\/|$)/
const ID = 'a'.repeat(16)

const cookiesOf = ({ cookies }: Pick<Visitor, 'cookies'>) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

t.test('a page with a heading, a sentence and the id of the request', async (t) => {
  const control = failing(new MemoryStorage())
  const routes = new Set<string>()
  const { fastify, storage } = await startService(
    t,
    { ...CONSOLE, demo: false, storage: control.storage, forward_auth_clients: ['wiki'], home: true },
    (host) =>
      host.addHook('onRoute', ({ method, url }) => {
        for (const one of ['GET', 'POST'] as const)
          if ([method].flat().includes(one) && !FOR_PROGRAMS.test(url)) routes.add(`${one} ${url}`)
      }),
  )
  await storeUsers(storage)
  await storeOperators(storage)
  const visitor = () => visitorOf(() => fastify)
  const [browser, ada] = [visitor(), visitor()]
  await signInOn(browser, await browser.page('/account'), 'alice')
  await signInOn(ada, await ada.page('/console'), 'ada')
  const link = visitor()
  link.cookies.set('redmint-link', `${ID}.${'b'.repeat(43)}`)
  t.ok(routes.size > 100)
  const seen = new Set<string>()
  control.fault = 'before'
  for (const route of routes) {
    const [method, url = ''] = route.split(' ') as ['GET' | 'POST', string]
    for (const { cookies } of url.startsWith('/console') ? [ada] : [browser, link]) {
      const cookie = cookiesOf({ cookies })
      const path = `${url.replace(/:[^/]+/g, 'x').replace('*', 'x')}?transaction=${ID}.${'b'.repeat(43)}`
      const answer = await fastify.inject({ method, url: path, headers: { ...HEADERS, cookie } })
      const { statusCode, headers, body } = answer
      if (statusCode < 400) continue
      seen.add(`${statusCode} ${url.split('/')[1]}`)
      const told = `${statusCode} ${route}`
      if (!/text\/html/.test(String(headers['content-type']))) t.fail(`${told}: ${headers['content-type']}`)
      if (statusCode === 503 && !(/<h1/.test(body) && body.includes(String(headers['x-request-id']))))
        t.fail(`${told}: no heading, or no id`)
      if (statusCode === 503 && headers['retry-after'] === undefined) t.fail(`${told}: no Retry-After`)
    }
  }
  const { body } = await fastify.inject({
    url: '/account',
    headers: { ...HEADERS, cookie: cookiesOf(browser) },
  })
  t.match(body, '<h1>Your account cannot be shown right now</h1>')
  for (const part of ['503 account', '503 console', '503 oauth2']) t.ok(seen.has(part), part)
})
