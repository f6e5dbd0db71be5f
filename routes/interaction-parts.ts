import type { FastifyRequest } from 'fastify'
import type { callerOf } from '../plugins/caller.ts'
import { authorizationFlow } from '../src/authorize/authorization-flow.ts'
import type { Context } from '../src/context.ts'
import { deviceFlow } from '../src/device/device-flow.ts'
import type { Sender } from '../src/interaction/submission.ts'

type Caller = ReturnType<typeof callerOf>

/** The kinds of requests that users continue on the pages. */
export const flowsOf = (context: Context, caller: Caller) => ({
  authorization: authorizationFlow(context),
  device: deviceFlow(context, caller),
  ...context.room_flows,
})

/** Who sends a submission. */
export function senderOf({ headers }: FastifyRequest, caller: Pick<Caller, 'address'>): Sender {
  return { address: caller.address(), user_agent: headers['user-agent'] }
}
