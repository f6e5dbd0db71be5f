import type { FastifyPluginAsync } from 'fastify'
import { PATHS } from '../../src/core/paths.ts'
import { demoMailPage } from '../../src/demo/demo-mail-page.ts'

/** The mail of demo mode: none if an SMTP server takes it. */
const route: FastifyPluginAsync = async (fastify) => {
  fastify.get(PATHS.demo_mail, { schema: { hide: true } }, async (request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(demoMailPage(fastify.redmint.mail?.mailbox?.mails ?? [], { ...request.view(), query: '' })),
  )
}

export default route
