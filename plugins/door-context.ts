import type { FastifyRequest } from 'fastify'
import type { DoorContext } from '../src/admin/door/answer-operation.ts'
import { actorOf } from '../src/admin/operation.ts'
import { reportOf } from './request-context.ts'

/** Returns what the door of the admin API works with for a request: its events name who asks. */
export function doorContextOf(
  request: FastifyRequest,
  admin_requests: DoorContext['admin_requests'],
): DoorContext {
  const given: Pick<DoorContext, 'admin_requests' | 'reportOf'> = {
    admin_requests,
    reportOf: (caller) =>
      reportOf(request, { actor: `${caller.kind}:${caller.id}`, via: caller.client_id }, actorOf(caller)),
  }
  return Object.assign(Object.create(request.server.redmint), given)
}
