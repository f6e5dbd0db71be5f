import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { contextOf } from '../plugins/request-context.ts'
import { withMail } from '../plugins/with-mail.ts'
import { PATHS } from '../src/core/paths.ts'
import type { RelyingParties } from '../src/providers/parties.ts'
import { PAGES } from '../src/self-service/account-pages.ts'
import type { PagePath } from '../src/self-service/action.ts'
import { ACTIONS } from '../src/self-service/actions.ts'
import { takeAction, visitPage } from '../src/self-service/door.ts'
import { sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'
import { visitOf } from './visit.ts'

const ACCOUNT = {
  operationId: 'account',
  summary: 'The page of the own account',
  tags: ['Pages'],
  querystring: Parameters({
    done: Parameter('What was done just now'),
    sessions: Parameter('Where the list of sessions begins'),
    applications: Parameter('Where the list of applications begins'),
  }),
  response: {
    200: Page('A page of the account'),
    '3xx': { description: 'To the sign-in, or back to the account page', type: 'null' },
    400: ErrorPage('The browser is not signed in any more'),
    503: UNAVAILABLE,
  },
} as const

const FORM = {
  hide: true,
  body: Parameters({
    csrf: Parameter('Binds the form to the browser and its session'),
    sid: Parameter('A session'),
    sessions: Parameter('Where the list began in which it was shown'),
    client_id: Parameter('An application'),
    subscription: Parameter('What a browser gives that gets notices'),
    browser: Parameter('A browser that gets notices'),
    begun: Parameter('An authenticator app that is being set up'),
    code: Parameter('A code of that app'),
    password: Parameter('A new password'),
    credential: Parameter('What a passkey answered'),
    provider: Parameter('A provider'),
    passkey: Parameter('A passkey'),
    name: Parameter('Its new name, or that of the person'),
    asked: Parameter('The fields that the form has, of which an empty one is removed'),
    given_name: Parameter('The first name'),
    family_name: Parameter('The last name'),
    nickname: Parameter('A nickname'),
    locale: Parameter('The tag of a language'),
    email: Parameter('An e-mail address'),
    others: Parameter('yes: all other browsers are signed out'),
  }),
} as const

/** The pages of one's own account, and what can be done there. */
const route: FastifyPluginAsyncTypebox<{ readonly parties?: RelyingParties }> = async (
  fastify,
  { parties },
) => {
  const { redmint } = fastify
  const contextFor = (request: FastifyRequest) =>
    Object.assign(withMail(contextOf(request)), parties && { parties })

  for (const path of Object.keys(PAGES) as PagePath[]) {
    if (!PAGES[path].isOn(redmint.settings)) continue
    const schema = path === '' ? ACCOUNT : { ...ACCOUNT, hide: true }
    fastify.get(
      PATHS.account + path,
      { schema, config: { page: 'account' }, exposeHeadRoute: false, preValidation: readQuery },
      async (request, reply) => {
        const context = contextFor(request)
        const visit = visitOf(request, reply, context, request.query)
        return sendReply(request, reply, await visitPage(context, path, visit))
      },
    )
  }

  for (const [name, action] of Object.entries(ACTIONS)) {
    const { isOn = PAGES[action.page].isOn } = action
    if (!isOn(redmint.settings)) continue
    fastify.post(
      `${PATHS.account}/${name}`,
      { schema: FORM, config: { page: 'account' } },
      async (request, reply) => {
        const context = contextFor(request)
        const visit = visitOf(request, reply, context, request.body)
        return sendReply(request, reply, await takeAction(context, action, visit))
      },
    )
  }
}

export default route
