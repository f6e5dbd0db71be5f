import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Presented } from '../src/certificates/client-certificate.ts'
import type { Caller } from '../src/clients/client-auth.ts'
import type { ProvingCaller } from '../src/clients/client-proof.ts'
import type { FailureCount } from '../src/clients/failure-limit.ts'
import { NONCE_HEADER } from '../src/core/dpop-errors.ts'
import { proofsOf } from '../src/dpop/proof-header.ts'
import { clientAddress, networkOf } from './address.ts'
import { basicCredentialsOf } from './basic-auth.ts'
import { certificateReader, originReader } from './client-certificate.ts'

/** Returns the credentials and address of a request. @throws FastifyError unless this plugin is registered */
export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}

/**
 * Returns the caller of a request that may have a DPoP proof; a nonce for the next proof is sent with the reply.
 * @throws FastifyError unless this plugin is registered
 */
export function provingCallerOf(request: FastifyRequest, reply: FastifyReply): ProvingCaller {
  return {
    ...callerOf(request),
    proofs: proofsOf(request.raw),
    offerNonce: (nonce) => void reply.header(NONCE_HEADER, nonce),
  }
}

/** Decorates each request with its caller: Basic credentials, certificate, address, and the failure counter in storage. */
export default fp(
  async (fastify) => {
    const { storage, settings } = fastify.redmint
    const { client_auth_failures, client_auth_window } = settings
    const countFailure = async (name: string): Promise<FailureCount> => {
      const { count, ends_in } = await storage.counters.countFailure(
        'client',
        name,
        client_auth_window * 1000,
      )
      return {
        remaining: Math.max(0, client_auth_failures - count),
        isExceeded: count > client_auth_failures,
        ttl: ends_in,
      }
    }
    const readCertificate = certificateReader(fastify.redmint)
    const originOf = originReader(fastify.redmint)
    fastify.decorateRequest('caller', {
      getter(this: FastifyRequest): Caller {
        let presented: Presented | undefined
        return {
          basic: basicCredentialsOf(this),
          certificate: () => {
            presented ??= readCertificate(this)
            return presented
          },
          endpoint: originOf(this) + this.routeOptions.url,
          address: () => networkOf(clientAddress(this)),
          countFailure,
        }
      },
    })
  },
  { name: 'redmint-caller', dependencies: ['redmint-context', 'redmint-basic-auth'] },
)
