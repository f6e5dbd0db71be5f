import type { FastifyPluginAsync } from 'fastify'
import resourceMetadata from '../plugins/resource-metadata.ts'
import { describeAdmin } from '../src/admin/door/resource.ts'
import { DemoMetadata } from '../src/demo/demo-resource.ts'
import { ref } from './schemas.ts'

/** Who issues tokens for the admin API: at the issuer, also if the API itself is only at the management listener. */
const route: FastifyPluginAsync = async (fastify) => {
  const server = describeAdmin(fastify.redmint.settings)
  await fastify.register(resourceMetadata, { server, schema: ref(DemoMetadata) })
}

export default route
