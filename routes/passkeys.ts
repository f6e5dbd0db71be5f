import type { FastifyPluginAsync } from 'fastify'
import { PASSKEY_SCRIPT, PASSKEY_SCRIPT_PATH } from '../src/factors/passkeys/script.ts'
import { checkHost } from '../src/factors/passkeys/settled-host.ts'

/** Seconds that a browser keeps the script: a year, because another one has another path. */
const MAX_AGE = 31_536_000

/** The script of pages with passkeys. The server does not start if its passkeys are for another host. */
const route: FastifyPluginAsync = async (fastify) => {
  await checkHost(fastify.redmint)

  fastify.get(PASSKEY_SCRIPT_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', `public, max-age=${MAX_AGE}, immutable`)
      .send(PASSKEY_SCRIPT),
  )
}

export default route
