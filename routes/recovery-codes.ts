import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { invalidRequest } from '../src/core/errors.ts'
import { PATHS } from '../src/core/paths.ts'
import { recoveryFile } from '../src/factors/recovery-file.ts'
import { Parameter, Parameters } from './schemas.ts'

/** New recovery codes as a file: what a page that shows them sends back. It works without scripts. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.post(
    PATHS.recovery_codes,
    { schema: { hide: true, body: Parameters({ codes: Parameter('The codes, sealed') }) } },
    async (request, reply) => {
      const text = recoveryFile(fastify.redmint, request.body.codes ?? '')
      if (text === undefined)
        throw invalidRequest(
          'browser_request_ended',
          'the codes are not those of a page, or older than half an hour',
          { received: { fault: 'codes of no page, or too old' } },
        )
      return reply
        .header('cache-control', 'no-store')
        .header('content-disposition', 'attachment; filename="recovery-codes.txt"')
        .type('text/plain; charset=utf-8')
        .send(text)
    },
  )
}

export default route
