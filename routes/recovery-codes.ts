import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PATHS } from '../src/core/paths.ts'
import { recoveryFile } from '../src/factors/recovery-file.ts'
import { sendReply } from './client-response.ts'
import { Parameter, Parameters } from './schemas.ts'

/** New recovery codes as a file: what a page that shows them sends back. It works without scripts. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.post(
    PATHS.recovery_codes,
    {
      schema: { hide: true, body: Parameters({ codes: Parameter('The codes, sealed') }) },
      config: { page: 'sign-in' },
    },
    async (request, reply) =>
      sendReply(request, reply, recoveryFile(fastify.redmint, request.body.codes ?? '')),
  )
}

export default route
