import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** What looks at the requests of a server for development, and may meddle with them. */
export interface Tap {
  /** Before anything is read of a request. What it answers itself does not reach the server. */
  before?(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  /** When the form of a request was read, and nothing was done yet. As `before`; what it throws is answered as an error. */
  parsed?(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  /** When the server has done what was asked. Returns the body that is sent in place of `payload`. */
  answer?(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown>
}

/** The taps of one server. */
export class Taps {
  readonly #taps = new Set<Tap>()

  /** Adds a tap, after those that there are. @returns what removes it */
  add(tap: Tap): () => void {
    this.#taps.add(tap)
    return () => this.#taps.delete(tap)
  }

  /** Lets the taps see the requests of all routes that are registered later. */
  attach(fastify: FastifyInstance): void {
    for (const [hook, moment] of MOMENTS) {
      fastify.addHook(hook, async (request: FastifyRequest, reply: FastifyReply) => {
        for (const tap of this.#taps) {
          await tap[moment]?.(request, reply)
          if (reply.sent) return reply
        }
      })
    }
    fastify.addHook('onSend', async (request, reply, payload) => {
      let sent: unknown = payload
      for (const tap of this.#taps) sent = (await tap.answer?.(request, reply, sent)) ?? sent
      return sent
    })
  }
}

const MOMENTS = [
  ['onRequest', 'before'],
  ['preHandler', 'parsed'],
] as const
