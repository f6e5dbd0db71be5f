import type { FastifyReply, FastifyRequest } from 'fastify'
import { registeredClient } from '../../../plugins/request-context.ts'
import { pathOf } from '../../../plugins/request-log.ts'
import type { Context } from '../../../src/context.ts'
import type { Origin } from '../../../src/core/audit-entries.ts'
import type { SecurityEvent } from '../../../src/core/events.ts'
import { parseObject } from '../../../src/core/json.ts'
import type { RefusedRequest } from '../../../src/core/refusal.ts'
import { type Explanation, explain } from '../../../src/explain/explanation.ts'
import { refusalRecord } from '../../../src/explain/record.ts'
import type { ServerParts } from '../../server-parts.ts'
import type { Tap } from '../../taps.ts'
import { isControl, placeOf } from '../endpoints.ts'
import type { FaultName } from '../faults/request-faults.ts'

/** Why a request was refused, as `redmint explain` says it. */
export type LoggedRefusal = Pick<
  Explanation,
  'reason' | 'sentence' | 'received' | 'expected' | 'differences' | 'advice' | 'docs'
>

/** A request, and what was decided. */
export interface LoggedRequest {
  /** As in the header X-Request-Id of its answer. */
  readonly id: string
  /** ISO 8601, by the clock of the server. */
  readonly at: string
  readonly method: string
  /** Without the query, and without what stands in place of a parameter. */
  readonly path: string
  /** As the metadata names it, or explanations do. */
  readonly endpoint: string
  /** The client, if it is one that is registered. */
  client_id?: string
  /** `waits`: there is no answer yet. */
  decided: 'waits' | 'answered' | 'redirected' | 'refused' | 'failed'
  status?: number
  /** What the token endpoint issued: names of members, such as `access_token`. */
  issued?: readonly string[]
  /** The events of docs/events.md that it was. */
  readonly events: string[]
  refused?: LoggedRefusal
  /** The fault that happened to it. */
  fault?: FaultName
}

const MAX_KEPT = 1000
const ISSUED = ['access_token', 'id_token', 'refresh_token', 'device_code'] as const

/** The requests of a server since its last reset, the last of them. */
export class RequestLog {
  #entries = new Map<string, LoggedRequest>()

  /** The requests, the oldest first. */
  get entries(): readonly LoggedRequest[] {
    return [...this.#entries.values()]
  }

  reset(): void {
    this.#entries = new Map()
  }

  /** Listens to what is decided about requests, as long as the server is there. */
  listen(context: Context): void {
    context.refusals.on('refused', (refused) => this.#refused(context, refused))
    context.reported.on('event', (event, origin) => this.#event(event, origin()))
  }

  /** Notes that a fault happens to a request. */
  struck(request_id: string, fault: FaultName): void {
    this.#note(request_id, { fault })
  }

  /** Returns what notes the requests. */
  tap({ fastify, clock }: ServerParts): Tap {
    return {
      before: async (request) => {
        if (isControl(request)) return
        const { id, method } = request
        this.#entries.set(id, {
          ...{ id, method },
          at: new Date(clock.now()).toISOString(),
          path: shownPath(request),
          endpoint: placeOf(fastify.redmint.settings, request),
          decided: 'waits',
          events: [],
        })
        const [oldest] = this.#entries.keys()
        if (this.#entries.size > MAX_KEPT && oldest !== undefined) this.#entries.delete(oldest)
      },
      answer: async (request, reply, payload) => {
        if (isControl(request)) return
        // Known once the request was judged.
        const client_id = registeredClient(request)
        this.#note(request.id, {
          ...decisionOf(reply, payload),
          ...(client_id !== undefined && { client_id }),
        })
      },
    }
  }

  #refused({ clients, now }: Context, refused: RefusedRequest): void {
    const { client_id, sent_client } = refused
    const client = client_id ?? clients.cached(sent_client ?? '')?.client_id
    const { reason, sentence, received, expected, differences, advice, docs } = explain(
      refusalRecord(refused, client, now()),
      'en',
    )
    this.#note(refused.id, {
      ...(client !== undefined && { client_id: client }),
      refused: { reason, sentence, received, expected, differences, advice, docs },
    })
  }

  #event({ event }: SecurityEvent, { request_id }: Origin): void {
    if (request_id !== undefined) this.#entries.get(request_id)?.events.push(event)
  }

  #note(id: string, noted: Partial<LoggedRequest>): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) Object.assign(entry, noted)
  }
}

/** Returns the path of a request, with the names of its parameters. */
function shownPath(request: FastifyRequest): string {
  const { url = '*' } = request.routeOptions
  return url.includes('*') ? pathOf(request) : url
}

function decisionOf(
  { statusCode: status }: FastifyReply,
  payload: unknown,
): Pick<LoggedRequest, 'decided' | 'status' | 'issued'> {
  const body = status === 200 && typeof payload === 'string' ? parseObject(payload) : undefined
  const issued = ISSUED.filter((name) => typeof body?.[name] === 'string')
  return { decided: decidedBy(status), status, ...(issued.length > 0 && { issued }) }
}

function decidedBy(status: number): LoggedRequest['decided'] {
  if (status >= 500) return 'failed'
  if (status >= 400) return 'refused'
  return status >= 300 && status !== 304 ? 'redirected' : 'answered'
}
