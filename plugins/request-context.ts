import type { FastifyRequest } from 'fastify'
import { type Context, reporter } from '../src/context.ts'
import type { ReportEvent } from '../src/core/events.ts'
import { clientAddress } from './address.ts'

/** Returns the context for a request: its lines of the log have the id of the request. */
export function contextOf(request: FastifyRequest): Context {
  // To copy all members would take some microseconds.
  return Object.assign(Object.create(request.server.redmint), { log: request.log, report: reportOf(request) })
}

/** Reports events of a request, with its id and the client's address; `more`: what else their lines have. */
export function reportOf(request: FastifyRequest, more: object = {}): ReportEvent {
  return reporter(request.server.redmint, request.log, { remoteAddress: clientAddress(request), ...more })
}
