import type { FastifyRequest } from 'fastify'
import type { callerOf } from '../plugins/caller.ts'
import { authorizationFlow } from '../src/authorize/authorization-flow.ts'
import type { Context } from '../src/context.ts'
import { deviceFlow } from '../src/device/device-flow.ts'
import type { Flows } from '../src/interaction/flow.ts'
import type { Sender } from '../src/interaction/submission.ts'

type Caller = ReturnType<typeof callerOf>

/** The kinds of requests that users continue on the pages. */
export const flowsOf = (context: Context, caller: Caller) => ({
  authorization: authorizationFlow(context),
  device: deviceFlow(context, caller),
  ...flowsOfRooms(context),
})

const flowsOfRooms = (context: Context): Flows<never> =>
  Object.fromEntries(Object.entries(context.flows).map(([kind, flow]) => [kind, flow(context)]))

/** Who sends a submission. */
export function senderOf({ headers }: FastifyRequest, caller: Pick<Caller, 'address'>): Sender {
  return { address: caller.address(), user_agent: headers['user-agent'] }
}
