import basicAuth from '@fastify/basic-auth'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { BasicCredentials } from '../src/clients/authentication/client-credentials.ts'
import { invalidClient } from '../src/core/client-errors.ts'
import { formDecode } from '../src/core/parameters.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A hook that reads HTTP Basic credentials from the Authorization header, if present (RFC 7617). */
    readBasicCredentials: onRequestHookHandler
  }
}

// Node's decoder skips unknown characters, and bits after the last byte; a secret must have only one encoding
// (RFC 4648 §3.5).
const CANONICAL =
  /^[Bb][Aa][Ss][Ii][Cc] +(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/

// RFC 9110 §11.1: a scheme is a token, so it ends before the first character that is none.
const IS_BASIC = /^basic(?![!#$%&'*+.^_`|~\w-])/i

const CREDENTIALS = 'basicCredentials'

/** Returns the unverified HTTP Basic credentials of a request. @throws FastifyError unless this plugin is registered */
export function basicCredentialsOf(request: FastifyRequest): BasicCredentials | undefined {
  return request.getDecorator<BasicCredentials | undefined>(CREDENTIALS)
}

/** Returns the user name of the credentials of a request, decoded; undefined: it has none that can be read. */
export function basicUsernameOf(request: FastifyRequest): string | undefined {
  if (!request.server.hasRequestDecorator(CREDENTIALS)) return undefined
  const credentials = basicCredentialsOf(request)
  return credentials && (formDecode(credentials.username) || undefined)
}

/** Reads HTTP Basic credentials for the endpoints where clients authenticate. */
export default fp(
  async (fastify) => {
    fastify.decorateRequest(CREDENTIALS, undefined)
    await fastify.register(basicAuth, {
      // RFC 9110 §11.4: one space or more. The rest is stricter above.
      strictCredentials: false,
      validate(username, password, request, _reply, done) {
        request.setDecorator<BasicCredentials>(CREDENTIALS, { username, password })
        done()
      },
    })
    fastify.decorate('readBasicCredentials', (request, reply, done) => {
      const { authorization } = request.headers
      // A header of another scheme is no client authentication (RFC 6749 §2.3.1), so it is ignored.
      if (authorization === undefined || !IS_BASIC.test(authorization)) done()
      else if (!CANONICAL.test(authorization))
        done(invalidClient('client_credentials_malformed', 'the Basic credentials are not base64'))
      else
        fastify.basicAuth(request, reply, (error) =>
          done(error && invalidClient('client_credentials_malformed', error.message)),
        )
    })
  },
  { name: 'redmint-basic-auth' },
)
