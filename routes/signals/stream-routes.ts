import type { FastifyInstance } from 'fastify'
import { PATHS } from '../../src/core/paths.ts'
import { ConfiguredStream } from '../../src/service/signal-answers.ts'
import { streamRequestMalformed } from '../../src/signals/errors.ts'
import { checkSupplied, membersOf, readConfiguration, textOf } from '../../src/signals/stream-request.ts'
import {
  changeStream,
  createStream,
  deleteStream,
  namedStream,
  readStream,
} from '../../src/signals/streams.ts'
import { ErrorBody, ref } from '../schemas.ts'
import { body, contextFor, idIn, nothing, query, receiverOf, schemaOf, shownTo } from './receiver-door.ts'

/** The configuration of streams (SSF 1.0, Stream Configuration). */
export function addStreams(fastify: FastifyInstance, wake: () => void): void {
  createRoute(fastify, wake)
  readRoute(fastify)
  changeRoutes(fastify, wake)
  deleteRoute(fastify, wake)
}

function createRoute(fastify: FastifyInstance, wake: () => void): void {
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
      return reply
        .status(201)
        .send(shownTo(request, client, await createStream(contextFor(request, wake), client, given)))
    },
  )
}

function readRoute(fastify: FastifyInstance): void {
  const { redmint } = fastify
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
      if (stream_id !== undefined)
        return shownTo(request, client, await namedStream(redmint, client_id, stream_id))
      const found = await readStream(redmint, client_id)
      // SSF 1.0: a list without a stream_id. As text: the schema is that of one of them.
      const list = found === undefined ? [] : [shownTo(request, client, found)]
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(list))
    },
  )
}

function changeRoutes(fastify: FastifyInstance, wake: () => void): void {
  const { redmint } = fastify
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
        checkSupplied(members, shownTo(request, client, former))
        const change = { given: readConfiguration(members), replaces: method === 'PUT' }
        return shownTo(
          request,
          client,
          await changeStream(contextFor(request, wake), client_id, former, change),
        )
      },
    })
}

function deleteRoute(fastify: FastifyInstance, wake: () => void): void {
  fastify.delete(
    PATHS.signal_stream,
    schemaOf('deleteStream', 'Deletes a stream', { 204: nothing('It is deleted') }, { querystring: query }),
    async (request, reply) => {
      const { client_id } = await receiverOf(request)
      const stream_id = idIn(request)
      if (stream_id === undefined) throw streamRequestMalformed('stream_id is missing.')
      await deleteStream(contextFor(request, wake), client_id, { stream_id })
      return reply.status(204).send()
    },
  )
}
