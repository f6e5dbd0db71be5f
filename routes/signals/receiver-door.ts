import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import bearer, { accessTokenOf } from '../../plugins/bearer.ts'
import { readJson } from '../../plugins/json-body.ts'
import { contextOf } from '../../plugins/request-context.ts'
import type { Client } from '../../src/clients/record/client-record.ts'
import { PATHS } from '../../src/core/paths.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { SIGNALS_SCOPE } from '../../src/core/security-events.ts'
import { demandScopes } from '../../src/resource-server/check-access.ts'
import { ownPlace } from '../../src/resource-server/own-guard.ts'
import { notReceiver, streamRequestMalformed } from '../../src/signals/errors.ts'
import { isReceiver } from '../../src/signals/receiver.ts'
import type { SetStream } from '../../src/signals/stream-record.ts'
import { configurationOf } from '../../src/signals/streams.ts'
import { ErrorBody } from '../schemas.ts'

const BODY_LIMIT = 64 * 1024 - 1

export const body = { type: 'object', additionalProperties: true } as const
export const query = { type: 'object', properties: { stream_id: { type: 'string' } } } as const
export const nothing = (description: string) => ({ description, type: 'null' }) as const
const refusals = {
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  404: ErrorBody,
  503: ErrorBody,
}

/** The schema of an operation of receivers. */
export const schemaOf = (
  operationId: string,
  summary: string,
  response: object,
  more: FastifySchema = {},
): { schema: FastifySchema } => ({
  schema: {
    operationId,
    summary: `${summary} (SSF 1.0)`,
    tags: ['Shared Signals'],
    security: [{ bearer: [] }],
    ...more,
    response: { ...response, ...refusals },
  },
})

/** Reads JSON, and lets receivers in alone. */
export async function guardReceivers(fastify: FastifyInstance): Promise<void> {
  await fastify.register(bearer)
  readJson(fastify, BODY_LIMIT, (facts) =>
    streamRequestMalformed('Send the request as application/json.', facts),
  )
  const guard = fastify.protect({ check_grant: true })
  fastify.addHook('onRequest', async (request, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store')
    return guard(request, reply)
  })
}

/** Returns the client that has a stream. @throws OAuthError without its own token with the scope */
export async function receiverOf(request: FastifyRequest, reads = false): Promise<Client> {
  const token = accessTokenOf(request)
  const may_read = reads && scopeNames(token.scope).includes(SIGNALS_SCOPE.read)
  if (!may_read) demandScopes(token, [SIGNALS_SCOPE.manage], ownPlace(token))
  const client = await request.server.redmint.clients.find(token.client_id)
  if (token.subject !== '' || client === undefined || !isReceiver(client)) throw notReceiver()
  return client
}

/** What a stream looks like to its receiver. */
export function shownTo(request: FastifyRequest, { client_id }: Client, stream: SetStream) {
  const { redmint } = request.server
  const pollAt = (stream_id: string) => `${redmint.settings.issuer}${PATHS.signal_poll}/${stream_id}`
  return configurationOf(redmint, client_id, stream, pollAt)
}

/** The `stream_id` of the query; undefined: it has none. @throws OAuthError if it has several */
export function idIn(request: FastifyRequest): string | undefined {
  const { stream_id } = request.query as { stream_id?: unknown }
  if (stream_id === undefined) return undefined
  if (typeof stream_id !== 'string') throw streamRequestMalformed('stream_id may be given once.')
  return stream_id
}

/** What requests work with. @param wake told that something may be delivered */
export const contextFor = (request: FastifyRequest, wake: () => void) => ({ ...contextOf(request), wake })
