import rateLimit, { type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit'
import Fastify, { type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Caller } from '../src/clients/client-auth.ts'
import type { FailureCount } from '../src/clients/failure-limit.ts'
import type { Storage } from '../src/storage/storage.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request, as far as it says so itself. */
    readonly caller: Caller
    /** What a failure of this request is counted under. */
    failureName: string
  }
}

/** Tells of each request who sends it, and counts failures by @fastify/rate-limit in storage. */
export default fp(
  async (fastify) => {
    const { storage, settings } = fastify.redmint
    // On an instance of its own: beside a host that limits its rates too, the plugin would hand out the host's counts.
    const counter = Fastify()
    await counter.register(rateLimit, {
      global: false,
      max: settings.client_auth_failures,
      timeWindow: settings.client_auth_window * 1000,
      keyGenerator: (request) => request.failureName,
      store: storeOn(storage),
    })
    const count = counter.createRateLimit()
    fastify.decorateRequest('failureName', '')
    fastify.decorateRequest('caller', {
      getter(this: FastifyRequest): Caller {
        return {
          basic: this.basicCredentials,
          address: () => addressOf(this),
          countFailure: async (name) => {
            this.failureName = name
            return (await count(this)) as FailureCount
          },
        }
      },
    })
  },
  { name: 'redmint-rate-limit', dependencies: ['redmint-context', 'redmint-basic-auth'] },
)

// A whole network of IPv6 is one caller's: whoever has one address of it has them all.
function addressOf({ ip }: { ip: string | undefined }): string {
  return ip === undefined ? '' : normalizeIP(ip)
}

function storeOn(storage: Storage) {
  return class implements FastifyRateLimitStore {
    incr(...[name, done, window]: Parameters<FastifyRateLimitStore['incr']>): void {
      storage.counters
        .countFailure(name, window)
        .then(({ count, ends_in }) => done(null, { current: count, ttl: ends_in }), done)
    }

    child(): FastifyRateLimitStore {
      return this
    }
  }
}
