import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { issuerPath, ROOT_PATHS } from '../../src/core/paths.ts'
import { JWKS_MAX_AGE } from '../../src/keys/timing.ts'
import { TransmitterMetadata } from '../../src/service/signal-answers.ts'
import { transmitterMetadata } from '../../src/signals/metadata.ts'
import { preparedFrom, sendPrepared } from '../prepared.ts'
import { ref } from '../schemas.ts'

const schema = {
  operationId: 'ssfConfiguration',
  summary: 'Metadata of the transmitter of security events (SSF 1.0)',
  tags: ['Shared Signals'],
  response: { 200: ref(TransmitterMetadata) },
} as const

const prepare = preparedFrom(transmitterMetadata)

/** The metadata, where the path of the issuer is at the end. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const { settings } = fastify.redmint
  fastify.get(ROOT_PATHS.ssf_configuration + issuerPath(settings.issuer), { schema }, (_request, reply) => {
    reply.header('cache-control', `public, max-age=${JWKS_MAX_AGE}`)
    sendPrepared(reply, prepare(settings))
  })
}

export default route
