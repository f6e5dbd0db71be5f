// A limited load of token requests and API calls that records the result of each request.
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setInterval as tick } from 'node:timers/promises'
import type { Test } from 'tap'
import { basic, bearer } from './service.ts'

const CLIENTS = 6
const EVERY_MS = 40
/** A limit for all clients together, so that the load ends by itself. */
const MOST = 20_000
const FORM = 'grant_type=client_credentials'
const TIMEOUT_MS = 10_000

export interface Load {
  readonly clients: number
  /** The number of requests answered with 200. */
  readonly served: number
  /** The result of every other request. */
  readonly failures: readonly string[]
  /** Resolves when the last request is answered. */
  stop(): Promise<void>
}

/**
 * Clients that repeatedly request a token as the client `service` and call the API with it; two of three use
 * keep-alive.
 */
export function startLoad(t: Test, address: string): Load {
  const stopping = new AbortController()
  const failures: string[] = []
  let served = 0

  const ask = async (
    agent: Agent,
    method: string,
    path: string,
    headers: Record<string, string>,
    body = '',
  ) => {
    try {
      const sending = request(address + path, { method, agent, headers, timeout: TIMEOUT_MS })
      sending.on('timeout', () => sending.destroy(new Error('no answer')))
      const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
        sending.on('error', reject)
        sending.on('response', (response) => {
          text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
        })
        sending.end(body)
      })
      if (answer.status === 200) served += 1
      else failures.push(`${method} ${path}: ${answer.status} ${answer.body}`)
      return answer
    } catch (error) {
      failures.push(`${method} ${path}: ${(error as Error).message}`)
      return undefined
    }
  }
  const visit = async (keepAlive: boolean) => {
    const agent = new Agent({ keepAlive, maxSockets: 1 })
    const form = { ...basic('service'), 'content-type': 'application/x-www-form-urlencoded' }
    try {
      for await (const _ of tick(EVERY_MS, undefined, { signal: stopping.signal })) {
        if (served + failures.length > MOST) break
        const granted = await ask(agent, 'POST', '/oauth2/token', form, FORM)
        if (granted?.status !== 200) continue
        await ask(agent, 'GET', '/api/resource', bearer(JSON.parse(granted.body).access_token))
      }
    } catch (error) {
      if (!stopping.signal.aborted) throw error
    } finally {
      agent.destroy()
    }
  }
  const visits = Promise.all(Array.from({ length: CLIENTS }, (_, index) => visit(index % 3 !== 0)))
  const stop = async () => {
    stopping.abort()
    await visits
  }
  t.teardown(stop)
  return {
    clients: CLIENTS,
    get served() {
      return served
    },
    failures,
    stop,
  }
}
