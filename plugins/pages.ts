import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { queryOf } from '../src/core/uri.ts'
import { chooseLanguage, languageIn, languageOf } from '../src/pages/language.ts'
import type { View } from '../src/pages/layout.ts'
import { createTheme, type Theme } from '../src/pages/theme.ts'
import { languageCookie } from './language.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The theme of the pages. */
    theme: Theme
  }
  interface FastifyRequest {
    /** Returns the view for a page; `ui_locales`: those of the pending request, by default those of this request. */
    view(ui_locales?: string): View
  }
}

/** Decorates the instance with the theme of its pages, and requests with their view: theme and language. */
export default fp(
  async (fastify) => {
    const { settings } = fastify.redmint
    const theme = createTheme(settings)
    const cookie = languageCookie(settings)
    fastify.decorate('theme', theme)
    fastify.decorateRequest('view', function (this: FastifyRequest, ui_locales?: string): View {
      const query = queryOf(this.url)
      // The user's choice goes before what the client and the browser ask for.
      const chosen = languageIn(query) ?? languageOf(this.cookies?.[cookie])
      const locales = ui_locales ?? uiLocales(this)
      const language = chosen ?? chooseLanguage(locales, this.headers['accept-language'])
      return { theme, language, ...(this.method === 'GET' && repeatable(query)) }
    })
  },
  { name: 'redmint-pages', dependencies: ['redmint-context'] },
)

// Other parameters may be secrets, such as an id_token_hint, and pages do not repeat those.
const REPEATED = /^(?:(?:transaction|language)=[^&]*(?:&|$))*$/

/** The query of a page that a link can open again. */
function repeatable(query: string): { query?: string } {
  return REPEATED.test(query) ? { query } : {}
}

// A refused request may have parameters of any type.
function uiLocales({ query, body }: FastifyRequest): string | undefined {
  for (const parameters of [query, body]) {
    const { ui_locales } = (parameters ?? {}) as { ui_locales?: unknown }
    if (typeof ui_locales === 'string') return ui_locales
  }
  return undefined
}
