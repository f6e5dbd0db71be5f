import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../src/config/settings.ts'
import { queryOf } from '../src/core/uri.ts'
import type { Language } from '../src/pages/messages/language.ts'
import { type OwnCookie, ownCookie } from './own-cookie.ts'

const YEAR = 31_536_000

/** Keeps a language in a cookie, for the pages that follow. @throws FastifyError unless this plugin is registered */
export function keepLanguage(reply: FastifyReply, language: Language): FastifyReply {
  return reply.getDecorator<(language: Language) => FastifyReply>('keepLanguage')(language)
}

/** The cookie with the language that the user chose. */
export function languageCookie(settings: Pick<Settings, 'issuer'>): OwnCookie {
  return ownCookie(settings, 'language')
}

/** Keeps the language that a link of a page's footer names, and gives replies a way to keep another one. */
export default fp(
  async (fastify) => {
    const { settings, languages } = fastify.redmint
    const { name, options } = languageCookie(settings)
    // Only the tag of a known language is kept, so that the cookie cannot tell users apart.
    fastify.decorateReply('keepLanguage', function (this: FastifyReply, { tag }: Language) {
      return this.setCookie(name, tag, { ...options, maxAge: YEAR })
    })
    fastify.addHook('onRequest', (request, reply, done) => {
      const language = request.method === 'GET' ? languages.in(queryOf(request.url)) : undefined
      if (language !== undefined) keepLanguage(reply, language)
      done()
    })
  },
  { name: 'redmint-language', dependencies: ['redmint-context', 'redmint-browser'] },
)
