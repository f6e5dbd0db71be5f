import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerErrorAs } from '../plugins/errors.ts'
import late from '../plugins/late.ts'
import { contextOf } from '../plugins/request-context.ts'
import { refusedFor } from '../src/core/jwt-refusal.ts'
import { PATHS } from '../src/core/paths.ts'
import { SET_MEDIA_TYPE } from '../src/core/security-events.ts'
import { SignalError, signalErrorBody, signalRefused } from '../src/core/signal-errors.ts'
import { receiveFromIssuer, receiveFromProvider } from '../src/signals-received/receive.ts'
import { MAX_LENGTH } from '../src/signals-received/verify-set.ts'
import { ref } from './schemas.ts'

const documentation = {
  tags: ['OpenID Connect'],
  consumes: [SET_MEDIA_TYPE],
  body: { type: 'string', description: 'A security event token (RFC 8417)' },
  response: {
    202: { description: 'The token is taken, now or before', type: 'null' },
    400: ref(SignalError),
    413: ref(SignalError),
    503: ref(SignalError),
  },
} as const

const OF_PROVIDER = {
  operationId: 'providerSignal',
  summary: 'A provider says that something of its people is over (RFC 8935)',
  params: Type.Object({ provider: Type.String() }),
  ...documentation,
} as const

const OF_ISSUER = {
  operationId: 'issuerSignal',
  summary: 'A trusted issuer says that something of its people is over (RFC 8935)',
  ...documentation,
} as const

/** Where others push security event tokens to. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  fastify.setErrorHandler(answerErrorAs(signalErrorBody))
  await fastify.register(late)
  fastify.removeAllContentTypeParsers()
  const text = { parseAs: 'string', bodyLimit: MAX_LENGTH } as const
  fastify.addContentTypeParser(SET_MEDIA_TYPE, text, (_request, body, done) => done(null, body))
  fastify.addContentTypeParser('*', text, (_request, _body, done) => {
    done(signalRefused('invalid_request', refusedFor('malformed', `it is not sent as ${SET_MEDIA_TYPE}`)))
  })
  // src/ reads the text.
  fastify.setValidatorCompiler(() => () => true)

  const tokenIn = ({ body }: FastifyRequest) => (typeof body === 'string' ? body : '')
  const taken = (reply: FastifyReply) => reply.header('cache-control', 'no-store').status(202).send()
  fastify.post(PATHS.provider_signals, { schema: OF_PROVIDER }, async (request, reply) => {
    await receiveFromProvider(contextOf(request), request.params.provider, tokenIn(request))
    return taken(reply)
  })
  fastify.post(PATHS.signals, { schema: OF_ISSUER }, async (request, reply) => {
    await receiveFromIssuer(contextOf(request), tokenIn(request))
    return taken(reply)
  })
}

export default route
