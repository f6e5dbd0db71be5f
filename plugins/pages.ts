import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { chooseLanguage } from '../src/pages/language.ts'
import type { View } from '../src/pages/layout.ts'
import { createTheme, type Theme } from '../src/pages/theme.ts'

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
    const theme = createTheme(fastify.redmint.settings)
    fastify.decorate('theme', theme)
    fastify.decorateRequest('view', function (this: FastifyRequest, ui_locales?: string): View {
      const locales = ui_locales ?? uiLocales(this)
      return { theme, language: chooseLanguage(locales, this.headers['accept-language']) }
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
