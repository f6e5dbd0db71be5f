import fp from 'fastify-plugin'
import { createResourceServer, type ResourceServerOptions } from '../src/resource-server/create.ts'
import protect, { type ProtectOptions } from './protect.ts'

export type ResourceServerPluginOptions = ResourceServerOptions & Pick<ProtectOptions, 'refuse'>

/**
 * Guards the routes of an API: `onRequest: fastify.protect({ scopes: ['x'] })`. Serves the metadata of the resource
 * (RFC 9728 §3), so register it without a prefix.
 * @throws TypeError if the resource or the issuer cannot be one; the message says what to set
 */
export default fp<ResourceServerPluginOptions>(
  async (fastify, { refuse, ...options }) => {
    await fastify.register(protect, { server: createResourceServer(options), ...(refuse && { refuse }) })
  },
  { name: 'redmint-resource-server', fastify: '5.x' },
)
