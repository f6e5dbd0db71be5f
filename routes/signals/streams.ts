import type { FastifyPluginAsync } from 'fastify'
import { guardReceivers } from './receiver-door.ts'
import { addPolling, addStatus, addSubjects, addVerification } from './state-routes.ts'
import { addStreams } from './stream-routes.ts'

interface Options {
  /** Told that something may be delivered. */
  readonly wake: () => void
}

/** The endpoints of receivers (SSF 1.0, Event Stream Management; RFC 8936). */
const route: FastifyPluginAsync<Options> = async (fastify, { wake }) => {
  await guardReceivers(fastify)
  addStreams(fastify, wake)
  addStatus(fastify, wake)
  addSubjects(fastify)
  addVerification(fastify, wake)
  addPolling(fastify)
}

export default route
