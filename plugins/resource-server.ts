import fp from 'fastify-plugin'
import { createResourceServer, type ResourceServerOptions } from '../src/resource-server/create.ts'
import protect, { type ProtectOptions } from './protect.ts'

export type ResourceServerPluginOptions = ResourceServerOptions & Pick<ProtectOptions, 'refuse'>

/**
 * Guards the routes of an API: `onRequest: fastify.protect({ scopes: ['x'] })`. Serves the metadata of the resource
 * (RFC 9728 §3), so register it without a prefix.
 * @throws TypeError if an option is not known or cannot have its value, or the instance has a prefix; the message says what
 * to do
 */
export default fp<ResourceServerPluginOptions>(
  async (fastify, { refuse, ...options }) => {
    // That of a parent: the challenges would name an address of the metadata at which nothing is.
    if (fastify.prefix !== '') {
      throw new TypeError(
        `The instance has the prefix ${fastify.prefix}: register redmint/resource-server on one without a prefix.`,
      )
    }
    if (refuse !== undefined && typeof refuse !== 'function')
      throw new TypeError('refuse must be a function.')
    await fastify.register(protect, { server: createResourceServer(options), ...(refuse && { refuse }) })
  },
  { name: 'redmint-resource-server', fastify: '5.x' },
)
