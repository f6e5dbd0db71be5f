import fp from 'fastify-plugin'

// RFC 6797 §6.1: a year.
const HSTS = 'max-age=31536000'

/**
 * Headers for pages: no framing, no sniffing, and no resource but the pages' own style. They are those of helmet, which
 * would make them anew for each answer; a test compares them.
 */
export default fp(
  async (fastify) => {
    const headers = {
      'content-security-policy': fastify.theme.policy,
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      ...(fastify.redmint.settings.issuer.startsWith('https:') && { 'strict-transport-security': HSTS }),
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-frame-options': 'DENY',
      'x-permitted-cross-domain-policies': 'none',
      'x-xss-protection': '0',
    }
    fastify.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers)
      done()
    })
  },
  { name: 'redmint-security-headers', dependencies: ['redmint-context', 'redmint-pages'] },
)
