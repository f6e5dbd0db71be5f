import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { CONSOLE_SCRIPT } from '../src/console/pages/script.ts'
import { CONSOLE_RULES } from '../src/console/pages/style.ts'
import { consolePlace } from '../src/console/place.ts'
import { readForm } from '../src/console/read-form.ts'
import { issuerPath } from '../src/core/paths.ts'
import { iconOf } from '../src/pages/icon.ts'
import { createTheme } from '../src/pages/theme.ts'
import late from './late.ts'
import { readCookies } from './own-cookie.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The address of the style sheet of the console. */
    consoleStyle: string
    /** The address of its script. */
    consoleScript: string
  }
}

// RFC 6797 §6.1: a year.
const HSTS = 'max-age=31536000'
/** Seconds that a browser keeps the style sheet, whose address changes with it, and the icon. */
const MAX_AGE = 86_400

/** In bytes: a form that edits a record has it three times. */
const BODY_LIMIT = 512 * 1024

/** One script, no frame, nothing of another site; forms lead back here, and pages that leave are links. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';')

/** Names a file by its contents, so that browsers keep it. */
const nameOf = (file: string) => createHash('sha256').update(file).digest('base64url').slice(0, 16)

/** What the routes of the console have in common: headers, cookies, forms, the style sheet, the script and the icon. */
export default fp(
  async (fastify) => {
    const { settings } = fastify.redmint
    const { site, base, route } = consolePlace(settings)
    const { part_style } = createTheme(settings, { base: issuerPath(settings.issuer) })
    const sheet = part_style + CONSOLE_RULES
    const name = nameOf(sheet)
    const script = `${nameOf(CONSOLE_SCRIPT)}.js`
    const icon = iconOf(settings)
    fastify.decorate('consoleStyle', `${base}/style-${name}.css`)
    fastify.decorate('consoleScript', `${base}/script-${script}`)
    const headers = {
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      ...(site.startsWith('https:') && { 'strict-transport-security': HSTS }),
      'x-frame-options': 'DENY',
      'x-permitted-cross-domain-policies': 'none',
      'cache-control': 'no-store',
    }
    await fastify.register(late)
    await readCookies(fastify)
    // Forms and nothing else.
    fastify.removeAllContentTypeParsers()
    const reading = { parseAs: 'string', bodyLimit: BODY_LIMIT } as const
    fastify.addContentTypeParser(
      'application/x-www-form-urlencoded',
      reading,
      async (_request: FastifyRequest, body: string | Buffer) => readForm(String(body)),
    )
    fastify.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers)
      done()
    })
    const kept = { 'cache-control': `private, max-age=${MAX_AGE}` }
    fastify.get(`${route}/style-${name}.css`, { schema: { hide: true } }, (_request, reply) =>
      reply.headers(kept).type('text/css; charset=utf-8').send(sheet),
    )
    fastify.get(`${route}/script-${script}`, { schema: { hide: true } }, (_request, reply) =>
      reply.headers(kept).type('text/javascript; charset=utf-8').send(CONSOLE_SCRIPT),
    )
    fastify.get(`${route}/icon.svg`, { schema: { hide: true } }, (_request, reply) =>
      reply.headers(kept).type('image/svg+xml').send(icon),
    )
  },
  { name: 'redmint-console-scope' },
)
