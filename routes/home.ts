import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { browserOf } from '../plugins/browser.ts'
import { preferredFormat } from '../plugins/preferred-format.ts'
import { contextOf } from '../plugins/request-context.ts'
import { consoleAt, issuerPath, PATHS, pathAt, routePrefix } from '../src/core/paths.ts'
import { shownAccount } from '../src/interaction/shown-account.ts'
import { withBar } from '../src/interaction/waiting-bar.ts'
import { homePage, notFoundPage } from '../src/pages/home.ts'
import type { View } from '../src/pages/layout.ts'

const HTML = 'text/html; charset=utf-8'

interface HomeOptions {
  /** Whether the description of the API is here too, and not at the management listener. */
  docs: boolean
}

/**
 * The page of the issuer's own address, and pages for browsers at addresses without a page. Not for a service inside
 * another application.
 */
const route: FastifyPluginAsync<HomeOptions> = async (fastify, { docs }) => {
  const { settings } = fastify.redmint
  const { issuer, demo } = settings
  const props = { issuer, has_account_page: settings.account_page === 'on' }
  const description = { issuer, openid_configuration: `${issuer}${PATHS.openid_configuration}` }

  const prefix = routePrefix(settings)
  for (const path of new Set([prefix || '/', `${prefix}/`])) {
    fastify.get(path, { schema: { hide: true } }, async (request, reply) => {
      if (!wantsHtml(request)) return description
      const context = contextOf(request)
      const account = await shownAccount(context, browserOf(request))
      const shown = { ...props, account, ...(demo && { demo: demoPages(fastify.redmint, docs) }) }
      const render = await withBar(context, account, (view) => homePage(shown, view))
      return reply
        .header('cache-control', 'no-store')
        .type(HTML)
        .send(render(viewOf(request)))
    })
  }

  fastify.get('/*', { schema: { hide: true } }, async (request, reply) => {
    if (!wantsHtml(request)) return reply.callNotFound()
    const allowed = fastify.methodsAt(request)
    if (allowed !== undefined) reply.header('allow', allowed.join(', '))
    return reply
      .status(allowed === undefined ? 404 : 405)
      .header('cache-control', 'no-store')
      .type(HTML)
      .send(notFoundPage({ for_programs: allowed !== undefined }, viewOf(request)))
  })
}

/** Where the pages of demo mode are. */
function demoPages({ settings, mail }: Pick<FastifyInstance['redmint'], 'settings' | 'mail'>, docs: boolean) {
  // The description is at the root of the server, to which a proxy of a path leads nobody.
  const reachable = docs && issuerPath(settings.issuer) === ''
  return {
    app: pathAt(settings, PATHS.demo),
    device: pathAt(settings, PATHS.demo_device),
    ...(settings.console === 'on' && { console: consoleAt(settings) }),
    // An SMTP server takes the mail of a demo that has one.
    ...(mail?.mailbox && { mail: pathAt(settings, PATHS.demo_mail) }),
    ...(reachable && { docs: '/docs' }),
  }
}

/** These pages are the same without the query of their address. */
function viewOf(request: FastifyRequest): View {
  return { ...request.view(), query: '' }
}

/** Whether a request asks for a page by name, as browsers do: programs accept anything. */
function wantsHtml(request: FastifyRequest): boolean {
  return preferredFormat(request, ['json', 'html']) === 'html'
}

export default route
