import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { keepLanguage } from '../plugins/language.ts'
import { invalidRequest } from '../src/core/errors.ts'
import { PATHS } from '../src/core/paths.ts'
import { keptPage, parseKept } from '../src/pages/kept.ts'
import { ErrorPage, Page, Parameter, Parameters, UNAVAILABLE } from './schemas.ts'

const FORM = {
  schema: {
    operationId: 'chooseLanguage',
    summary: 'The same page in another language',
    consumes: ['application/x-www-form-urlencoded'],
    body: Parameters({
      language: Parameter('The tag of a language of the pages'),
      page: Parameter('The page, as its form has it'),
    }),
    tags: ['Pages'],
    response: {
      200: Page('The page, and a cookie with the language'),
      400: ErrorPage('The language is unknown, or the page was not made here or is too old'),
      503: UNAVAILABLE,
    },
  },
  config: { page: 'sign-in' },
} as const

/** Shows a page that no link can open again, in another language. */
const route: FastifyPluginAsyncTypebox = async (fastify) => {
  const { sealer, languages } = fastify.redmint

  fastify.post(PATHS.language, FORM, async (request, reply) => {
    const { language: tag, page = '' } = request.body
    const language = languages.of(tag)
    if (language === undefined)
      throw invalidRequest('language_unknown', 'language must be that of a button of the page.', {
        expected: { languages: languages.all.map((known) => known.tag) },
      })
    keepLanguage(reply, language)
    const text = sealer.open('page', page)
    const kept = text === undefined ? undefined : parseKept(text)
    if (kept === undefined) {
      throw invalidRequest(
        'browser_request_ended',
        'This page cannot be shown again: start again from the application.',
        { received: { fault: 'a page of another server or too old, or none' } },
      )
    }
    const { theme } = request.view()
    return reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(keptPage(kept, { theme, language, kept: page }))
  })
}

export default route
