import helmet from '@fastify/helmet'
import Fastify from 'fastify'
import t from 'tap'
import context from '../../../plugins/context.ts'
import pages from '../../../plugins/pages.ts'
import securityHeaders from '../../../plugins/security-headers.ts'
import { completeSettings } from '../../../src/config/settings.ts'
import { completeContext, createGround } from '../../../src/context.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { useTestKeys } from '../../support/service.ts'

t.test('pages have the headers of helmet, and a policy for the style', async (t) => {
  for (const issuer of ['https://login.example.com', 'http://localhost:3000']) {
    const reference = Fastify()
    const own = Fastify()
    t.teardown(() => Promise.all([reference.close(), own.close()]))
    await reference.register(helmet, {
      contentSecurityPolicy: false,
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
      // It would disconnect a sign-in popup from the page that opened it.
      crossOriginOpenerPolicy: false,
      strictTransportSecurity: issuer.startsWith('https:') && { includeSubDomains: false },
    })
    const storage = new MemoryStorage()
    await useTestKeys(storage)
    const ground = createGround({ settings: completeSettings({ issuer }), storage }, own.log)
    await own.register(context, { context: completeContext(ground), owns_storage: false })
    await own.register(pages)
    await own.register(securityHeaders)
    const headersOf = async (fastify: typeof own) => {
      fastify.get('/', async () => 'a page')
      const { date: _, ...headers } = (await fastify.inject('/')).headers
      return headers
    }
    const { 'content-security-policy': policy, ...headers } = await headersOf(own)
    t.same(headers, await headersOf(reference), issuer)
    t.equal(policy, own.theme.policy)
  }
})
