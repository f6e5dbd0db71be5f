import basicAuth from '@fastify/basic-auth'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { BasicCredentials } from '../src/clients/client-auth.ts'
import { invalidClient } from '../src/core/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A hook that reads HTTP Basic credentials from the Authorization header, if present (RFC 7617). */
    readBasicCredentials(request: FastifyRequest): Promise<void>
  }
}

const CREDENTIALS = 'basicCredentials'

/** Returns the unverified HTTP Basic credentials of a request. @throws FastifyError unless this plugin is registered */
export function basicCredentialsOf(request: FastifyRequest): BasicCredentials | undefined {
  return request.getDecorator<BasicCredentials | undefined>(CREDENTIALS)
}

/** Reads HTTP Basic credentials for the endpoints where clients authenticate. */
export default fp(
  async (fastify) => {
    fastify.decorateRequest(CREDENTIALS, undefined)
    await fastify.register(basicAuth, {
      validate(username, password, request, _reply, done) {
        request.setDecorator<BasicCredentials>(CREDENTIALS, { username, password })
        done()
      },
    })
    fastify.decorate('readBasicCredentials', async (request: FastifyRequest) => {
      const { authorization } = request.headers
      if (authorization === undefined) return
      if (!isCanonicalBase64(authorization)) throw invalidClient('the Basic credentials are not base64')
      await new Promise<void>((resolve, reject) => {
        fastify.basicAuth(request, undefined as never, (error) =>
          error === undefined ? resolve() : reject(invalidClient(error.message)),
        )
      })
    })
  },
  { name: 'redmint-basic-auth' },
)

// Node's decoder skips unknown characters; a secret must have only one encoding (RFC 4648 §3.5).
function isCanonicalBase64(authorization: string): boolean {
  const encoded = /^basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1]
  return encoded !== undefined && Buffer.from(encoded, 'base64').toString('base64') === encoded
}
