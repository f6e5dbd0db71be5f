import fp from 'fastify-plugin'
import type { Settings } from '../src/config/settings.ts'
import { queryOf } from '../src/core/uri.ts'
import { languageIn } from '../src/pages/language.ts'

const YEAR = 31_536_000

/** Returns the name of the cookie with the language that the user chose. */
export function languageCookie({ issuer }: Pick<Settings, 'issuer'>): string {
  return issuer.startsWith('https:') ? '__Host-redmint-language' : 'redmint-language'
}

/** Keeps the language that a link of a page's footer names in a cookie, for the pages that follow. */
export default fp(
  async (fastify) => {
    const { settings } = fastify.redmint
    const name = languageCookie(settings)
    const secure = settings.issuer.startsWith('https:')
    fastify.addHook('onRequest', async (request, reply) => {
      if (request.method !== 'GET') return
      const language = languageIn(queryOf(request.url))
      if (language === undefined) return
      // Only the tag of a known language is kept, so that the cookie cannot tell users apart.
      reply.setCookie(name, language.tag, {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure,
        maxAge: YEAR,
      })
    })
  },
  { name: 'redmint-language', dependencies: ['redmint-context', 'redmint-browser'] },
)
