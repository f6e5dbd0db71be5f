import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../plugins/browser.ts'
import { callerOf } from '../plugins/caller.ts'
import { authorizationFlow } from '../src/authorize/authorization-flow.ts'
import type { Context } from '../src/context.ts'
import type { Parameters } from '../src/core/parameters.ts'
import { deviceFlow } from '../src/device/device-flow.ts'
import type { Flows } from '../src/interaction/flow.ts'
import { linkFlow } from '../src/self-service/link-flow.ts'
import type { Visit } from '../src/self-service/visit.ts'

const flowsOfRooms = (context: Context): Flows<never> =>
  Object.fromEntries(Object.entries(context.flows).map(([kind, flow]) => [kind, flow(context)]))

/** Returns what a page is asked for. @param given the query, or the form */
export function visitOf(request: FastifyRequest, reply: FastifyReply, context: Context, given: Parameters) {
  const caller = callerOf(request, reply)
  return {
    address: caller.address(),
    user_agent: request.headers['user-agent'],
    browser: browserOf(request),
    given,
    flows: {
      authorization: authorizationFlow(context),
      device: deviceFlow(context, caller),
      link: linkFlow(context),
      ...flowsOfRooms(context),
    },
    languageFor: (ui_locales?: string) => request.view(ui_locales).language.tag,
  } satisfies Visit
}
