import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  Health,
  health,
  liveness,
  Readiness,
  readiness,
  readinessForOperators,
  Status,
} from '../src/service/health.ts'
import { ref } from './schemas.ts'

const tags = ['Operations']
const live = { summary: 'The process lives', tags, response: { 200: ref(Status) } }

interface HealthOptions {
  /** Whether only operators ask here, as far as they chose so: readiness then says what they should change. */
  for_operators: boolean
}

const route: FastifyPluginAsyncTypebox<HealthOptions> = async (fastify, { for_operators }) => {
  fastify.get('/health', { schema: { operationId: 'health', ...live } }, async () => liveness())

  fastify.get('/actuator/health/liveness', { schema: { operationId: 'liveness', ...live } }, async () =>
    liveness(),
  )

  fastify.get(
    '/actuator/health/readiness',
    {
      schema: {
        operationId: 'readiness',
        summary: 'Requests can be served',
        tags,
        response: { 200: ref(Readiness), 503: ref(Readiness) },
      },
    },
    async (_request, reply) => {
      const found = await (for_operators ? readinessForOperators : readiness)(fastify.redmint)
      return reply.status(statusOf(found)).send(found)
    },
  )

  fastify.get(
    '/actuator/health',
    {
      schema: {
        operationId: 'aggregateHealth',
        summary: 'The process lives, and requests can be served',
        tags,
        response: { 200: ref(Health), 503: ref(Health) },
      },
    },
    async (_request, reply) => {
      const found = await health(fastify.redmint)
      return reply.status(statusOf(found)).send(found)
    },
  )
}

function statusOf({ status }: Status): 200 | 503 {
  return status === 'UP' ? 200 : 503
}

export default route
