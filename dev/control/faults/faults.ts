import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerParts } from '../../server-parts.ts'
import type { Tap } from '../../taps.ts'
import { type EndpointName, endpointNamed } from '../endpoints.ts'
import { type FaultName, type FaultOptions, REQUEST_FAULTS, type RequestFault } from './request-faults.ts'

/** A fault that was asked for, and how many more requests it happens to. */
interface Asked {
  readonly endpoint: EndpointName
  readonly name: FaultName
  readonly options: FaultOptions
  times: number
}

const STRUCK = Symbol('fault')

/** A request that a fault happens to has it. */
interface Struck extends FastifyRequest {
  [STRUCK]?: Asked
}

/** The faults of a server. Each happens to the next requests at its endpoint, one after the other. */
export class Faults {
  readonly #closing = new AbortController()
  #asked: Asked[] = []

  add(endpoint: EndpointName, name: FaultName, times: number, options: FaultOptions): void {
    this.#asked.push({ endpoint, name, options, times })
  }

  /** Forgets those that did not happen yet. */
  reset(): void {
    this.#asked = []
  }

  /** Lets the requests go on that wait. */
  close(): void {
    this.#closing.abort()
  }

  /** Returns what makes them happen. @param tell is told of each, with the id of its request */
  tap(parts: ServerParts, tell: (request_id: string, fault: FaultName) => void): Tap {
    const struck = (request: FastifyRequest, reply: FastifyReply, { endpoint, options }: Asked) => {
      const context = parts.fastify.redmint
      return { parts, context, endpoint, request, reply, options, closing: this.#closing.signal }
    }
    return {
      parsed: async (request, reply) => {
        const asked = this.#take(parts, request)
        if (asked === undefined) return
        const told: Struck = request
        told[STRUCK] = asked
        tell(request.id, asked.name)
        await faultNamed(asked.name).before?.(struck(request, reply, asked))
      },
      answer: async (request, reply, payload) => {
        const asked = (request as Struck)[STRUCK]
        return asked && (await faultNamed(asked.name).answer?.(struck(request, reply, asked), payload))
      },
    }
  }

  #take({ fastify }: ServerParts, request: FastifyRequest): Asked | undefined {
    // A preflight is no request of its own (Fetch §3.2.2).
    if (this.#asked.length === 0 || request.method === 'OPTIONS') return undefined
    const endpoint = endpointNamed(fastify.redmint.settings, request)
    const asked = this.#asked.find((one) => one.endpoint === endpoint)
    if (asked === undefined) return undefined
    asked.times -= 1
    if (asked.times === 0) this.#asked = this.#asked.filter((one) => one !== asked)
    return asked
  }
}

const faultNamed = (name: FaultName): RequestFault => REQUEST_FAULTS[name]
