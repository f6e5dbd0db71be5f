import type { FastifyError, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { NEEDS } from '../src/resource-server/check-access.ts'
import { createResourceServer, type ResourceServerOptions } from '../src/resource-server/create.ts'
import type { ResourceServer } from '../src/resource-server/resource-server.ts'
import protect, { type Refuse } from './protect.ts'
import resourceMetadata, { sendAnswer } from './resource-metadata.ts'

export interface ResourceGuardOptions {
  readonly server: Pick<ResourceServer, 'answer' | 'verify'>
  /** Answers a request that was refused, instead of the plugin. */
  readonly refuse?: Refuse
}

export type ResourceServerPluginOptions = ResourceServerOptions & Pick<ResourceGuardOptions, 'refuse'>

/**
 * Guards the routes of an API: `onRequest: fastify.protect({ scopes: ['x'] })`. Something else serves the metadata of the
 * resource, which the challenges name.
 * @throws TypeError if refuse is no function
 */
export const resourceGuard = fp<ResourceGuardOptions>(
  async (fastify, { server, refuse = refuseBy(server) }) => {
    if (typeof refuse !== 'function') throw new TypeError('refuse must be a function.')
    await fastify.register(protect, {
      verifierFor:
        (needs) =>
        ({ raw }) =>
          server.verify(raw, needs),
      known: NEEDS,
      refuse,
    })
  },
  { name: 'redmint-resource-guard', fastify: '5.x' },
)

/**
 * Guards the routes of an API, as resourceGuard, and serves the metadata of the resource (RFC 9728 §3), so register it
 * without a prefix.
 * @throws TypeError if an option is not known or cannot have its value, or the instance has a prefix; the message says what
 * to do
 */
export default fp<ResourceServerPluginOptions>(
  async (fastify, { refuse, ...options }) => {
    const server = createResourceServer(options)
    await fastify.register(resourceMetadata, { server })
    await fastify.register(resourceGuard, { server, ...(refuse && { refuse }) })
  },
  { name: 'redmint-resource-server', fastify: '5.x' },
)

function refuseBy({ answer }: Pick<ResourceServer, 'answer'>): Refuse {
  return (error, request, reply) => {
    const refusal = answer(error)
    logRefusal(error, refusal.status, request)
    return sendAnswer(reply, refusal)
  }
}

function logRefusal(error: FastifyError, status: number, { log }: FastifyRequest): void {
  if (status >= 500) log.error({ err: error }, 'The access token could not be checked.')
  // Anybody can cause these: without a stack.
  else log.info({ status, cause: error.cause }, error.message)
}
