import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/caller.ts'
import { LONG_BODY_LIMIT } from '../plugins/form.ts'
import { contextOf } from '../plugins/request-context.ts'
import { BackchannelAuthentication } from '../src/asks/ask-answer.ts'
import { askPerson } from '../src/asks/ask-request.ts'
import { PATHS } from '../src/core/paths.ts'
import { CLIENT_PARAMETERS, Parameter, Parameters, REFUSALS, ref } from './schemas.ts'

const schema = {
  operationId: 'backchannelAuthentication',
  summary: 'Backchannel authentication endpoint (OpenID Connect CIBA Core §7)',
  tags: ['OpenID Connect'],
  consumes: ['application/x-www-form-urlencoded'],
  security: [{ client_secret_basic: [] }, {}],
  body: Parameters({
    ...CLIENT_PARAMETERS,
    login_hint: Parameter('The person: a name that signs in, or a subject'),
    id_token_hint: Parameter('The person: an id_token of this server for the client'),
    login_hint_token: Parameter('The person: a JWT of a trusted issuer'),
    scope: Parameter('Scope names separated by spaces'),
    authorization_details: Parameter('What is asked in detail, as JSON (RFC 9396)'),
    resource: Parameter('The APIs that tokens are for (RFC 8707); may be repeated'),
    binding_message: Parameter('What the person sees besides: at most 64 letters, digits and spaces'),
    acr_values: Parameter('How strongly the person must sign in to answer'),
    client_notification_token: Parameter('What the server shows to a client that it tells of the answer'),
    requested_expiry: Parameter('For how many seconds it waits, at most 600'),
    request: Parameter('All of these as a request object that the client signed (§7.1.1)'),
  }),
  response: { 200: ref(BackchannelAuthentication), ...REFUSALS },
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const options = { schema, bodyLimit: LONG_BODY_LIMIT, onRequest: fastify.readBasicCredentials }
  fastify.post(PATHS.backchannel_authentication, options, (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    return askPerson(contextOf(request), request.body, callerOf(request, reply))
  })
}

export default route
