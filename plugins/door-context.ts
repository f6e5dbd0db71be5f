import type { FastifyRequest } from 'fastify'
import type { AdminDoorContext } from '../src/admin/door/answer-operation.ts'
import { AdminBudget } from '../src/admin/door/budget.ts'
import { Looks } from '../src/admin/operation/looks.ts'
import { actorOf } from '../src/admin/operation/operation.ts'
import { reportOf } from './request-context.ts'

/** What a door counts and notes over all its requests. */
type Counted = Pick<AdminDoorContext, 'admin_requests' | 'looks'>

/** Returns what a door counts and notes over all its requests. @param now milliseconds since 1970 */
export const countedAtDoor = (now: () => number): Counted => ({
  admin_requests: new AdminBudget(now),
  looks: new Looks(now),
})

/** Returns what the door of the admin API, or that of the console, works with for a request: its events name who asks. */
export const atDoor = (
  request: FastifyRequest,
  counted: Counted,
  door: 'api' | 'console',
): Counted & Pick<AdminDoorContext, 'reportOf'> => ({
  ...counted,
  reportOf: (caller) =>
    reportOf(request, { actor: `${caller.kind}:${caller.id}`, via: caller.client_id }, actorOf(caller, door)),
})
