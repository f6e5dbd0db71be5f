import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import bearer, { accessTokenOf } from '../../plugins/bearer.ts'
import { contextOf } from '../../plugins/request-context.ts'
import type { Client } from '../../src/clients/record/client-record.ts'
import { parseJson } from '../../src/core/json.ts'
import { shownMediaType } from '../../src/core/media-type.ts'
import { PATHS } from '../../src/core/paths.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { SIGNALS_SCOPE } from '../../src/core/security-events.ts'
import { demandScopes } from '../../src/resource-server/check-access.ts'
import { ownPlace } from '../../src/resource-server/own-guard.ts'
import { ConfiguredStream, PolledSets, StreamState } from '../../src/service/signal-answers.ts'
import { notReceiver, streamRequestMalformed } from '../../src/signals/errors.ts'
import { poll, readPoll } from '../../src/signals/poll.ts'
import { isReceiver } from '../../src/signals/receiver.ts'
import type { SetStream } from '../../src/signals/stream-record.ts'
import {
  checkSupplied,
  membersOf,
  optionalText,
  readConfiguration,
  readStatus,
  textOf,
} from '../../src/signals/stream-request.ts'
import {
  changeStatus,
  changeStream,
  configurationOf,
  createStream,
  deleteStream,
  namedStream,
  readStream,
} from '../../src/signals/streams.ts'
import { addSubject, readSubject, removeSubject } from '../../src/signals/subjects.ts'
import { verifyStream } from '../../src/signals/verify-stream.ts'
import { ErrorBody, ref } from '../schemas.ts'

const BODY_LIMIT = 64 * 1024 - 1
const MAX_STATE = 1024

const body = { type: 'object', additionalProperties: true } as const
const query = { type: 'object', properties: { stream_id: { type: 'string' } } } as const
const nothing = (description: string) => ({ description, type: 'null' }) as const
const refusals = {
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  404: ErrorBody,
  503: ErrorBody,
}

const schemaOf = (
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

interface Options {
  /** Told that something may be delivered. */
  readonly wake: () => void
}

/** The endpoints of receivers (SSF 1.0, Event Stream Management; RFC 8936). */
const route: FastifyPluginAsync<Options> = async (fastify, { wake }) => {
  const { redmint } = fastify
  await fastify.register(bearer)
  fastify.removeAllContentTypeParsers()
  const json = { parseAs: 'string', bodyLimit: BODY_LIMIT } as const
  fastify.addContentTypeParser('application/json', json, (_request, text, done) => {
    done(null, parseJson(String(text)))
  })
  fastify.addContentTypeParser('*', json, (request, text, done) => {
    if (String(text) === '') return void done(null)
    const content_type = shownMediaType(request.headers['content-type'])
    const facts = { received: { content_type }, expected: { content_type: 'application/json' } }
    done(streamRequestMalformed('Send the request as application/json.', facts))
  })
  // src/ reads the requests.
  fastify.setValidatorCompiler(() => () => true)
  const guard = fastify.protect({ check_grant: true })
  fastify.addHook('onRequest', async (request, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store')
    return guard(request, reply)
  })

  const contextFor = (request: FastifyRequest) => ({ ...contextOf(request), wake })
  /** Returns the client that has a stream. @throws OAuthError without its own token with the scope */
  const receiverOf = async (request: FastifyRequest, reads = false): Promise<Client> => {
    const token = accessTokenOf(request)
    const may_read = reads && scopeNames(token.scope).includes(SIGNALS_SCOPE.read)
    if (!may_read) demandScopes(token, [SIGNALS_SCOPE.manage], ownPlace(token))
    const client = await redmint.clients.find(token.client_id)
    if (token.subject !== '' || client === undefined || !isReceiver(client)) throw notReceiver()
    return client
  }
  const pollAt = (stream_id: string) => `${redmint.settings.issuer}${PATHS.signal_poll}/${stream_id}`
  const shown = ({ client_id }: Client, stream: SetStream) =>
    configurationOf(redmint, client_id, stream, pollAt)
  const idIn = (request: FastifyRequest) => {
    const { stream_id } = request.query as { stream_id?: unknown }
    if (stream_id === undefined) return undefined
    if (typeof stream_id !== 'string') throw streamRequestMalformed('stream_id may be given once.')
    return stream_id
  }

  fastify.post(
    PATHS.signal_stream,
    schemaOf(
      'createStream',
      'Creates the stream of a receiver',
      { 201: ref(ConfiguredStream), 409: ErrorBody },
      { body },
    ),
    async (request, reply) => {
      const client = await receiverOf(request)
      const given = readConfiguration(membersOf(request.body))
      return reply.status(201).send(shown(client, await createStream(contextFor(request), client, given)))
    },
  )

  fastify.get(
    PATHS.signal_stream,
    schemaOf(
      'readStream',
      'Reads the configuration of a stream',
      { 200: ref(ConfiguredStream) },
      { querystring: query },
    ),
    async (request, reply) => {
      const client = await receiverOf(request, true)
      const { client_id } = client
      const stream_id = idIn(request)
      if (stream_id !== undefined) return shown(client, await namedStream(redmint, client_id, stream_id))
      const found = await readStream(redmint, client_id)
      // SSF 1.0: a list without a stream_id. As text: the schema is that of one of them.
      const list = found === undefined ? [] : [shown(client, found)]
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(list))
    },
  )

  for (const [method, operationId, summary] of [
    ['PATCH', 'updateStream', 'Updates the configuration of a stream'],
    ['PUT', 'replaceStream', 'Replaces the configuration of a stream'],
  ] as const)
    fastify.route({
      method,
      url: PATHS.signal_stream,
      ...schemaOf(operationId, summary, { 200: ref(ConfiguredStream) }, { body }),
      async handler(request) {
        const client = await receiverOf(request)
        const { client_id } = client
        const members = membersOf(request.body)
        const former = await namedStream(redmint, client_id, textOf(members, 'stream_id'))
        checkSupplied(members, shown(client, former))
        const change = { given: readConfiguration(members), replaces: method === 'PUT' }
        return shown(client, await changeStream(contextFor(request), client_id, former, change))
      },
    })

  fastify.delete(
    PATHS.signal_stream,
    schemaOf('deleteStream', 'Deletes a stream', { 204: nothing('It is deleted') }, { querystring: query }),
    async (request, reply) => {
      const { client_id } = await receiverOf(request)
      const stream_id = idIn(request)
      if (stream_id === undefined) throw streamRequestMalformed('stream_id is missing.')
      await deleteStream(contextFor(request), client_id, { stream_id })
      return reply.status(204).send()
    },
  )

  fastify.get(
    PATHS.signal_status,
    schemaOf(
      'readStreamStatus',
      'Reads the status of a stream',
      { 200: ref(StreamState) },
      { querystring: query },
    ),
    async (request) => {
      const { client_id } = await receiverOf(request, true)
      const stream_id = idIn(request)
      if (stream_id === undefined) throw streamRequestMalformed('stream_id is missing.')
      const { status, reason } = await namedStream(redmint, client_id, stream_id)
      return { stream_id, status, ...(reason !== undefined && { reason }) }
    },
  )

  fastify.post(
    PATHS.signal_status,
    schemaOf('updateStreamStatus', 'Changes the status of a stream', { 200: ref(StreamState) }, { body }),
    async (request) => {
      const { client_id } = await receiverOf(request)
      const wanted = readStatus(membersOf(request.body))
      const found = await namedStream(redmint, client_id, wanted.stream_id)
      await changeStatus(contextFor(request), client_id, found, wanted)
      const { stream_id, status, reason } = wanted
      return { stream_id, status, ...(reason !== undefined && { reason }) }
    },
  )

  /** Reads a request about a subject. */
  const subjectIn = async (request: FastifyRequest) => {
    const { client_id } = await receiverOf(request)
    const members = membersOf(request.body)
    await namedStream(redmint, client_id, textOf(members, 'stream_id'))
    return { client_id, sub: readSubject(redmint, members.subject) }
  }

  fastify.post(
    PATHS.signal_add_subject,
    schemaOf('addSubject', 'Adds a subject to a stream', { 200: nothing('It is as if added') }, { body }),
    async (request, reply) => {
      const { client_id, sub } = await subjectIn(request)
      await addSubject(redmint, client_id, sub)
      return reply.status(200).send()
    },
  )

  fastify.post(
    PATHS.signal_remove_subject,
    schemaOf(
      'removeSubject',
      'Removes a subject from a stream',
      { 204: nothing('It is as if removed'), 429: ErrorBody },
      { body },
    ),
    async (request, reply) => {
      const { client_id, sub } = await subjectIn(request)
      await removeSubject(redmint, client_id, sub)
      return reply.status(204).send()
    },
  )

  fastify.post(
    PATHS.signal_verify,
    schemaOf(
      'verifyStream',
      'Has a verification sent',
      { 204: nothing('It will be sent'), 429: ErrorBody },
      { body },
    ),
    async (request, reply) => {
      const client = await receiverOf(request)
      const members = membersOf(request.body)
      const found = await namedStream(redmint, client.client_id, textOf(members, 'stream_id'))
      await verifyStream(contextFor(request), client, found, optionalText(members, 'state', MAX_STATE))
      return reply.status(204).send()
    },
  )

  fastify.post(
    `${PATHS.signal_poll}/:stream_id`,
    schemaOf(
      'pollStream',
      'Returns security event tokens, and takes those that the receiver has (RFC 8936 §2)',
      { 200: ref(PolledSets) },
      { body, params: Type.Object({ stream_id: Type.String() }) },
    ),
    async (request) => {
      const client = await receiverOf(request)
      const { stream_id } = request.params as { stream_id: string }
      const wanted = readPoll(membersOf(request.body ?? {}))
      const found = await namedStream(redmint, client.client_id, stream_id)
      if (found.push !== undefined) throw streamRequestMalformed('The tokens of this stream are pushed.')
      return poll(redmint, client, found, wanted)
    },
  )
}

export default route
