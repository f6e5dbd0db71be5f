import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { browserOf, keepBrowser } from '../plugins/browser.ts'
import { contextOf } from '../plugins/request-context.ts'
import { withMail } from '../plugins/with-mail.ts'
import { hasMail } from '../src/config/mail-settings.ts'
import { hasPasskeys } from '../src/config/passkey-settings.ts'
import { hasPasswords } from '../src/config/sign-in-ways.ts'
import type { Context } from '../src/context.ts'
import { PATHS, pathAt } from '../src/core/paths.ts'
import { withQuery } from '../src/core/uri.ts'
import { startPending } from '../src/interaction/pending-request.ts'
import type { View } from '../src/pages/layout.ts'
import type { RelyingParties } from '../src/providers/parties.ts'
import type { ActionContext, Actor } from '../src/self-service/action.ts'
import { ACTIONS, act, addressOf, passwordOf, secondStepOf } from '../src/self-service/actions.ts'
import { isConfirmed } from '../src/self-service/confirmation.ts'
import { isOperator } from '../src/self-service/delete-account.ts'
import { ownData, showOverview } from '../src/self-service/overview.ts'
import { deletePage, signedOutPage } from '../src/self-service/pages/ends.ts'
import { identityAfterSignOut } from '../src/sessions/browser.ts'
import { actorOf } from './account-actor.ts'
import { redirectStatus, sendReply } from './client-response.ts'
import { readQuery } from './query.ts'
import { ErrorPage, Page, Parameter, Parameters } from './schemas.ts'

/** The page whose script is that of passkeys. */
const PASSKEYS = '/passkeys'

const documentation = {
  tags: ['Pages'],
  response: {
    200: Page('A page of the account'),
    '3xx': { description: 'To the sign-in, or back to the account page', type: 'null' },
    400: ErrorPage('The browser is not signed in any more'),
    503: ErrorPage('Storage cannot answer'),
  },
} as const

/** The pages of one's own account, and what can be done there. */
const route: FastifyPluginAsyncTypebox<{ readonly parties?: RelyingParties }> = async (
  fastify,
  { parties },
) => {
  const { redmint } = fastify
  const base = pathAt(redmint.settings, PATHS.account)
  const has_mail = hasMail(redmint.settings)

  const toSignIn = (request: FastifyRequest, reply: FastifyReply, page: string, confirm: boolean) => {
    const parameters = { page, ...(confirm && { confirm: 'true' }) }
    const started = startPending(redmint, { kind: 'account', parameters }, browserOf(request))
    return sendReply(request, reply, { to: 'next', ...started }, {})
  }

  const send = (request: FastifyRequest, reply: FastifyReply, render: (view: View) => string) =>
    reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(render(request.view()))

  const allowScript = (reply: FastifyReply) =>
    reply.header('content-security-policy', fastify.theme.policyWith({ script_source: "'self'" }))

  type Show = (context: Context, actor: Actor) => Promise<(view: View) => string>
  /** The pages whose forms need a confirmation. */
  const pages: Readonly<Record<string, Show>> = {
    ...(hasPasskeys(redmint.settings) && {
      [PASSKEYS]: async (context: Context, actor: Actor) =>
        (await import('../src/self-service/own-passkeys.ts')).passkeysOf(context, actor),
    }),
    ...(hasPasswords(redmint.settings) && { '/password': passwordOf }),
    ...(parties && {
      '/providers': async (context: Context, actor: Actor) =>
        (await import('../src/self-service/own-providers.ts')).providersOf(context, actor),
    }),
    ...(has_mail && { '/address': (context: Context, actor: Actor) => addressOf(context, actor) }),
    ...(redmint.settings.second_factor !== 'off' && { '/second-step': secondStepOf }),
    ...(redmint.settings.account_deletion === 'on' && {
      '/delete': async (_context: Context, actor: Actor) => (view: View) =>
        deletePage(actor, isOperator(actor.user), view),
    }),
  }

  fastify.get(
    PATHS.account,
    {
      schema: {
        operationId: 'account',
        summary: 'The page of the own account',
        querystring: Parameters({
          done: Parameter('What was done just now'),
          sessions: Parameter('Where the list of sessions begins'),
          applications: Parameter('Where the list of applications begins'),
        }),
        ...documentation,
      },
      exposeHeadRoute: false,
      preValidation: readQuery,
    },
    async (request, reply) => {
      const context = contextOf(request)
      const actor = await actorOf(request, reply, context)
      if (actor === undefined) return toSignIn(request, reply, '', false)
      return send(request, reply, await showOverview(context, actor, request.query))
    },
  )

  fastify.get(
    `${PATHS.account}/data`,
    { schema: { hide: true }, exposeHeadRoute: false, preValidation: readQuery },
    async (request, reply) => {
      const context = contextOf(request)
      const actor = await actorOf(request, reply, context)
      if (actor === undefined) return toSignIn(request, reply, '', false)
      return reply
        .header('cache-control', 'no-store')
        .header('content-disposition', 'attachment; filename="account.json"')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(await ownData(context, actor), null, 2))
    },
  )

  for (const [path, show] of Object.entries(pages)) {
    fastify.get(
      PATHS.account + path,
      { schema: { hide: true }, exposeHeadRoute: false, preValidation: readQuery },
      async (request, reply) => {
        const context = contextOf(request)
        const actor = await actorOf(request, reply, context)
        const is_confirmed = actor && (await isConfirmed(context, actor.session, actor.user))
        if (!actor || !is_confirmed) return toSignIn(request, reply, path, true)
        if (path === PASSKEYS) allowScript(reply)
        return send(request, reply, await show(context, actor))
      },
    )
  }

  for (const [name, action] of Object.entries(ACTIONS)) {
    if (action.page !== '' && pages[action.page] === undefined) continue
    fastify.post(
      `${PATHS.account}/${name}`,
      {
        schema: {
          hide: true,
          body: Parameters({
            csrf: Parameter('Binds the form to the browser and its session'),
            sid: Parameter('A session'),
            sessions: Parameter('Where the list began in which it was shown'),
            client_id: Parameter('An application'),
            begun: Parameter('An authenticator app that is being set up'),
            code: Parameter('A code of that app'),
            password: Parameter('A new password'),
            credential: Parameter('What a passkey answered'),
            provider: Parameter('A provider'),
            passkey: Parameter('A passkey'),
            name: Parameter('Its new name'),
            email: Parameter('An e-mail address'),
            others: Parameter('yes: all other browsers are signed out'),
          }),
        },
      },
      async (request, reply) => {
        const context = has_mail ? withMail(contextOf(request)) : contextOf(request)
        const { body } = request
        const actor = await actorOf(request, reply, context)
        if (actor === undefined) {
          return send(request, reply.status(400), (view) => signedOutPage(base, view))
        }
        const acting: ActionContext = parties ? { ...context, parties } : context
        const outcome = await act(acting, actor, action, body)
        if ('confirm' in outcome) return toSignIn(request, reply, outcome.confirm, true)
        if ('leave' in outcome) return reply.redirect(outcome.leave, redirectStatus(request))
        if ('done' in outcome)
          return reply.redirect(withQuery(base, { done: outcome.done }), redirectStatus(request))
        if (outcome.ends_session) {
          keepBrowser(reply, { browser: identityAfterSignOut(browserOf(request)), session: undefined })
        }
        if (outcome.runs_script) allowScript(reply)
        return send(request, reply, outcome.render)
      },
    )
  }
}

export default route
