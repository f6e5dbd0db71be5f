import type { FastifyPluginAsync } from 'fastify'
import { ownProtection } from '../../plugins/bearer.ts'
import late from '../../plugins/late.ts'
import protect from '../../plugins/protect.ts'
import resourceMetadata from '../../plugins/resource-metadata.ts'
import userPages from '../../plugins/user-pages.ts'
import { SILENT } from '../../src/core/log.ts'
import { API_PATH, routePrefix } from '../../src/core/paths.ts'
import { demoLeftovers, registerDemo } from '../../src/demo/demo-records.ts'
import { DemoMetadata, describeDemo } from '../../src/demo/demo-resource.ts'
import { reporter } from '../../src/service/reporter.ts'
import { ref } from '../schemas.ts'
import api from './api.ts'

interface DemoOptions {
  /** Whether demo mode has pages. */
  readonly home: boolean
  /** Whether to log, once it listens, what demo mode left in storage. */
  readonly warn_of_leftovers: boolean
}

/**
 * All of the demo: the protected API, which is always there, and in demo mode its clients, its user and its pages. Outside
 * demo mode it says what demo mode left in storage, with the commands that remove it.
 */
const demo: FastifyPluginAsync<DemoOptions> = async (fastify, { home, warn_of_leftovers }) => {
  const { redmint } = fastify
  const { settings, storage, log } = redmint
  const prefix = routePrefix(settings)
  await fastify.register(async (forTokens) => {
    await forTokens.register(late)
    const resource = describeDemo(settings)
    await forTokens.register(resourceMetadata, { server: resource, schema: ref(DemoMetadata) })
    await forTokens.register(protect, ownProtection(redmint, resource))
    await forTokens.register(api, { prefix: prefix + API_PATH })
  })
  if (settings.demo) {
    // What a newcomer reads first is how to get a token: the audit trail has these records.
    await registerDemo({ ...redmint, report: reporter(redmint, SILENT) })
    if (home) await fastify.register(pages, { prefix })
  } else if (warn_of_leftovers) {
    fastify.addHook('onListen', async () => {
      for (const line of await demoLeftovers(storage)) log.warn({}, line)
    })
  }
}

// Loaded in demo mode only.
const pages: FastifyPluginAsync = async (fastify) => {
  await fastify.register(userPages)
  await fastify.register(import('./app.ts'))
  await fastify.register(import('./device.ts'))
  // Its mails have links that reset passwords.
  if (fastify.redmint.settings.demo === true) await fastify.register(import('./mail.ts'))
}

export default demo
