import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PATHS } from '../../src/core/paths.ts'
import { PolledSets, StreamState } from '../../src/service/signal-answers.ts'
import { streamRequestMalformed } from '../../src/signals/errors.ts'
import { poll, readPoll } from '../../src/signals/poll.ts'
import { membersOf, optionalText, readStatus, textOf } from '../../src/signals/stream-request.ts'
import { changeStatus, namedStream } from '../../src/signals/streams.ts'
import { addSubject, readSubject, removeSubject } from '../../src/signals/subjects.ts'
import { verifyStream } from '../../src/signals/verify-stream.ts'
import { ErrorBody, ref } from '../schemas.ts'
import { body, contextFor, idIn, nothing, query, receiverOf, schemaOf } from './receiver-door.ts'

const MAX_STATE = 1024

/** The status of streams (SSF 1.0, Stream Status). */
export function addStatus(fastify: FastifyInstance, wake: () => void): void {
  const { redmint } = fastify
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
      await changeStatus(contextFor(request, wake), client_id, found, wanted)
      const { stream_id, status, reason } = wanted
      return { stream_id, status, ...(reason !== undefined && { reason }) }
    },
  )
}

/** Of whom a receiver wants to hear (SSF 1.0, Subjects). */
export function addSubjects(fastify: FastifyInstance): void {
  const { redmint } = fastify
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
}

/** Reads a request about a subject. */
async function subjectIn(request: FastifyRequest) {
  const { redmint } = request.server
  const { client_id } = await receiverOf(request)
  const members = membersOf(request.body)
  await namedStream(redmint, client_id, textOf(members, 'stream_id'))
  return { client_id, sub: readSubject(redmint, members.subject) }
}

/** Verification of a stream (SSF 1.0, Verification). */
export function addVerification(fastify: FastifyInstance, wake: () => void): void {
  const { redmint } = fastify
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
      await verifyStream(contextFor(request, wake), client, found, optionalText(members, 'state', MAX_STATE))
      return reply.status(204).send()
    },
  )
}

/** Delivery to receivers that poll (RFC 8936). */
export function addPolling(fastify: FastifyInstance): void {
  const { redmint } = fastify
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
