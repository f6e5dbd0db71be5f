import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { chooseLanguage } from '../src/pages/language.ts'
import type { View } from '../src/pages/layout.ts'
import { createTheme, type Theme } from '../src/pages/theme.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The look of the pages. */
    theme: Theme
  }
  interface FastifyRequest {
    /** The view of a page that answers this request; `ui_locales` are those of the request that it is about. */
    view(ui_locales?: string): View
  }
}

/** Decorates the instance with the look of its pages, and each request with the language of its user. */
export default fp(
  async (fastify) => {
    const theme = createTheme(fastify.redmint.settings)
    fastify.decorate('theme', theme)
    fastify.decorateRequest('view', function (this: FastifyRequest, ui_locales?: string): View {
      const wanted = ui_locales ?? uiLocales(this)
      return { theme, language: chooseLanguage(wanted, this.headers['accept-language']) }
    })
  },
  { name: 'redmint-pages', dependencies: ['redmint-context'] },
)

// A refused request may have parameters of any type.
function uiLocales({ query, body }: FastifyRequest): string | undefined {
  for (const parameters of [query, body]) {
    const { ui_locales } = (parameters ?? {}) as { ui_locales?: unknown }
    if (typeof ui_locales === 'string') return ui_locales
  }
  return undefined
}
