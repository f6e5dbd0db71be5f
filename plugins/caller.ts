import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Presented } from '../src/certificates/client-certificate.ts'
import type { BasicCredentials } from '../src/clients/authentication/client-credentials.ts'
import type { ProvingCaller } from '../src/clients/authentication/client-proof.ts'
import { NONCE_HEADER } from '../src/core/dpop-errors.ts'
import { proofsOf } from '../src/dpop/proof-header.ts'
import type { FailureCount } from '../src/limits/failure-limit.ts'
import type { ApiRequest } from '../src/resource-server/presented-token.ts'
import { clientNetwork } from './address.ts'
import { basicCredentialsOf } from './basic-auth.ts'
import { certificateReader, originReader } from './client-certificate.ts'

/** What reads the callers of all requests. */
interface Readers {
  readCertificate(request: ApiRequest): Presented
  originOf(request: ApiRequest): string
  /** Counts a failed authentication in storage. @throws StorageUnavailable */
  countFailure(name: string): Promise<FailureCount>
}

const READERS = 'readersOfCaller'

// Most requests need little of it, so the rest is read when it is asked for.
class RequestCaller implements ProvingCaller {
  readonly #readers: Readers
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #presented: Presented | undefined

  constructor(readers: Readers, request: FastifyRequest, reply: FastifyReply) {
    this.#readers = readers
    this.#request = request
    this.#reply = reply
  }

  get basic(): BasicCredentials | undefined {
    return basicCredentialsOf(this.#request)
  }

  get endpoint(): string {
    return this.#readers.originOf(this.#request) + this.#request.routeOptions.url
  }

  get proofs(): readonly string[] {
    return proofsOf(this.#request.raw)
  }

  certificate(): Presented {
    this.#presented ??= this.#readers.readCertificate(this.#request)
    return this.#presented
  }

  address(): string {
    return clientNetwork(this.#request)
  }

  countFailure(name: string): Promise<FailureCount> {
    return this.#readers.countFailure(name)
  }

  offerNonce(nonce: string): void {
    this.#reply.header(NONCE_HEADER, nonce)
  }
}

/**
 * Returns the sender of a request: its credentials, certificate, DPoP proofs and address. A nonce for the next proof is
 * sent with the reply.
 * @throws FastifyError unless this plugin is registered
 */
export function callerOf(request: FastifyRequest, reply: FastifyReply): ProvingCaller {
  return new RequestCaller(request.getDecorator<Readers>(READERS), request, reply)
}

/** Reads the callers of requests, and counts their failures in storage. */
export default fp(
  async (fastify) => {
    const { storage, settings } = fastify.redmint
    const { client_auth_failures, client_auth_window } = settings
    const readers: Readers = {
      readCertificate: certificateReader(fastify.redmint),
      originOf: originReader(fastify.redmint),
      async countFailure(name) {
        const { count, ends_in } = await storage.counters.countFailure(
          'client',
          name,
          client_auth_window * 1000,
        )
        return {
          remaining: Math.max(0, client_auth_failures - count),
          is_exceeded: count > client_auth_failures,
          ttl: ends_in,
        }
      },
    }
    fastify.decorateRequest(READERS, { getter: () => readers })
  },
  { name: 'redmint-caller', dependencies: ['redmint-context', 'redmint-basic-auth'] },
)
