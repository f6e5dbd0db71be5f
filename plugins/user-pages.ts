import fp from 'fastify-plugin'
import browser from './browser.ts'
import language from './language.ts'
import late from './late.ts'
import { refuseForeignForms } from './own-forms.ts'
import securityHeaders from './security-headers.ts'

/** What every scope with pages for users has. */
export default fp(
  async (fastify) => {
    await fastify.register(late)
    await fastify.register(browser)
    await fastify.register(language)
    await fastify.register(securityHeaders)
    refuseForeignForms(fastify, fastify.redmint.settings.issuer)
  },
  { name: 'redmint-user-pages', dependencies: ['redmint-context', 'redmint-pages'] },
)
