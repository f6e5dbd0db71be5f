import type { FastifyPluginAsync } from 'fastify'
import resourceMetadata from '../plugins/resource-metadata.ts'
import { describeAdmin } from '../src/admin/door/resource.ts'

/** Who issues tokens for the admin API: at the issuer, also if the API itself is only at the management listener. */
const route: FastifyPluginAsync = async (fastify) => {
  await fastify.register(resourceMetadata, { server: describeAdmin(fastify.redmint.settings) })
}

export default route
