import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { callerOf } from '../plugins/caller.ts'
import { readJson } from '../plugins/json-body.ts'
import { contextOf } from '../plugins/request-context.ts'
import { ClientInformation } from '../src/clients/registration/information.ts'
import {
  changeRegistration,
  deleteRegistration,
  type ManagementRequest,
  readRegistration,
} from '../src/clients/registration/manage.ts'
import { registerClient } from '../src/clients/registration/register.ts'
import type { Context } from '../src/context.ts'
import { REALM } from '../src/core/challenge.ts'
import { tellStep, tellUnproven } from '../src/core/connection-steps.ts'
import { PATHS } from '../src/core/paths.ts'
import { invalidClientMetadata } from '../src/core/registration-errors.ts'
import { readBearerToken } from '../src/resource-server/presented-token.ts'
import { ErrorBody, REFUSALS, ref } from './schemas.ts'

/** The limit of what a registration stores; clients that send all the metadata they know need a tenth of it. */
const BODY_LIMIT = 5 * 1024

const body = {
  type: 'object',
  description: 'Client metadata (RFC 7591 §2)',
  additionalProperties: true,
} as const
const params = {
  type: 'object',
  properties: { client_id: { type: 'string' } },
  required: ['client_id'],
} as const
const documentation = { tags: ['Registration'], security: [{ bearer: [] }] }

const REGISTER = {
  schema: {
    operationId: 'register',
    summary: 'Client registration endpoint (RFC 7591 §3)',
    ...documentation,
    security: [{ bearer: [] }, {}],
    body,
    response: { 201: ref(ClientInformation), ...REFUSALS },
  },
} as const

const READ = {
  schema: {
    operationId: 'readRegistration',
    summary: 'Client configuration endpoint (RFC 7592 §2.1)',
    ...documentation,
    params,
    response: { 200: ref(ClientInformation), 401: ErrorBody, 503: ErrorBody },
  },
} as const

const CHANGE = {
  schema: {
    operationId: 'changeRegistration',
    summary: 'Client update (RFC 7592 §2.2)',
    ...documentation,
    params,
    body,
    response: {
      200: ref(ClientInformation),
      400: ErrorBody,
      401: ErrorBody,
      413: ErrorBody,
      503: ErrorBody,
    },
  },
} as const

const DELETE = {
  schema: {
    operationId: 'deleteRegistration',
    summary: 'Client deletion (RFC 7592 §2.3)',
    ...documentation,
    params,
    response: {
      204: { description: 'The client is deleted', type: 'null' },
      401: ErrorBody,
      503: ErrorBody,
    },
  },
} as const

/** Notes the first step of a client, whose share of the notes depends on whether somebody invited it. */
function noteRegistration(redmint: Context, client_id: string, from: string, is_invited: boolean): void {
  if (is_invited) tellStep(redmint, () => ({ step: 'invited', client_id, from }))
  else tellUnproven(redmint, () => ({ step: 'registered', client_id, from }))
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  readJson(fastify, BODY_LIMIT, (facts) =>
    invalidClientMetadata('body_not_json', 'Send the client metadata as application/json.', facts),
  )
  fastify.addHook('onRequest', async (_request, reply) => {
    // RFC 7591 §3.2.1.
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
  })

  fastify.post(PATHS.register, REGISTER, async (request, reply) => {
    reply.status(201)
    const invitation = readBearerToken(request.raw, undefined, REALM)
    const address = callerOf(request, reply).address()
    const client = await registerClient(contextOf(request), { metadata: request.body, invitation, address })
    noteRegistration(fastify.redmint, client.client_id, address, invitation !== undefined)
    return client
  })

  const path = `${PATHS.register}/:client_id`
  fastify.get(path, READ, async (request) => readRegistration(contextOf(request), managementOf(request)))
  fastify.put(path, CHANGE, async (request) =>
    changeRegistration(contextOf(request), managementOf(request), request.body),
  )
  fastify.delete(path, DELETE, async (request, reply) => {
    await deleteRegistration(contextOf(request), managementOf(request))
    return reply.status(204).send()
  })
}

function managementOf(request: FastifyRequest): ManagementRequest {
  const { client_id } = request.params as { client_id: string }
  return { client_id, token: readBearerToken(request.raw, undefined, REALM) }
}

export default route
