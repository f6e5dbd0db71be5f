import fp from 'fastify-plugin'

const ONE_YEAR = 31_536_000

/** Headers for pages: no framing, no sniffing, and no resource but the pages' own style. */
export default fp(
  async (fastify) => {
    const is_https = fastify.redmint.settings.issuer.startsWith('https:')
    // No Cross-Origin-Opener-Policy: it would disconnect a sign-in popup from the page that opened it.
    const headers = {
      'content-security-policy': fastify.theme.policy,
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      ...(is_https && { 'strict-transport-security': `max-age=${ONE_YEAR}` }),
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-frame-options': 'DENY',
      'x-permitted-cross-domain-policies': 'none',
      // The filter of old browsers made holes of its own.
      'x-xss-protection': '0',
    }
    fastify.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers)
      done()
    })
  },
  { name: 'redmint-security-headers', dependencies: ['redmint-context', 'redmint-pages'] },
)
