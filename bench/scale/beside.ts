// Tokens of another server while something long is done.
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '../../src/storage/storage.ts'
import { CallbackClient, type Exchange } from '../../test/support/callback-client.ts'
import { basic } from '../../test/support/service.ts'
import { quantile } from '../statistics.ts'
import { makeClient } from './callers.ts'
import type { Cost, Place, Server } from './place.ts'
import type { Row } from './requests.ts'

const CONNECTIONS = 4
/** Between the tokens of a connection, in milliseconds. */
const EVERY = 20
const ALONE = 5000

/** Tokens that were asked for: milliseconds until the answer, and the slowest command of Redis meanwhile. */
export interface Tokens {
  readonly beside: string
  readonly tokens: number
  readonly failed: number
  readonly p50: number
  readonly p99: number
  readonly slowest: { readonly longest: number; readonly name: string; readonly count: number }
}

/** Asks a server for tokens, some at a time. */
export class TokenLoad {
  readonly #place: Place
  readonly #server: Server
  readonly #client_id: string
  readonly found: Tokens[] = []
  /** What a token costs while nothing else is done. */
  #alone: Cost | undefined

  private constructor(place: Place, server: Server, client_id: string) {
    this.#place = place
    this.#server = server
    this.#client_id = client_id
  }

  /** Also measures what tokens cost alone. */
  static async open(place: Place & { readonly storage: Storage }, server: Server): Promise<TokenLoad> {
    const load = new TokenLoad(place, server, await makeClient(place.storage, ['api.read']))
    await load.#ask(pause(1000))
    let tokens = 0
    const cost = await place.costOf(async () => {
      tokens = (await load.#measure('nothing', () => pause(ALONE))).tokens
    })
    const each = (name: 'cpu' | 'redis_cpu' | 'commands') => cost[name] / tokens
    load.#alone = { ms: 0, cpu: each('cpu'), redis_cpu: each('redis_cpu'), commands: each('commands') }
    return load
  }

  /** Asks for tokens while work is done. The cost of the row is without that of the tokens. */
  async during(beside: string, work: () => Promise<Row>): Promise<Row> {
    let row: Row | undefined
    const { tokens } = await this.#measure(beside, async () => {
      row = await work()
    })
    if (row === undefined) throw new Error('the work gave no row')
    const { cost } = row
    const without = (name: 'cpu' | 'redis_cpu' | 'commands') =>
      Math.max(0, cost[name] - tokens * (this.#alone?.[name] ?? 0))
    // A command is measured by itself.
    const cpu = row.mb === undefined ? without('cpu') : cost.cpu
    return {
      ...row,
      cost: { ...cost, cpu, redis_cpu: without('redis_cpu'), commands: Math.round(without('commands')) },
    }
  }

  async #measure(beside: string, work: () => Promise<unknown>): Promise<Tokens> {
    await this.#place.slowest()
    const { times, failed } = await this.#ask(work())
    const measured = {
      beside,
      ...{ tokens: times.length, failed },
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      slowest: await this.#place.slowest(),
    }
    this.found.push(measured)
    return measured
  }

  async #ask(work: Promise<unknown>): Promise<{ times: number[]; failed: number }> {
    const times: number[] = []
    let [is_over, failed] = [false, 0]
    const over = work.finally(() => {
      is_over = true
    })
    const clients = Array.from({ length: CONNECTIONS }, () => new CallbackClient(this.#server.port))
    const asking = clients.map(async (client) => {
      while (!is_over) {
        const began = performance.now()
        if ((await this.#token(client)) !== 200) failed += 1
        times.push(performance.now() - began)
        await pause(EVERY)
      }
    })
    await Promise.all([over, ...asking])
    for (const client of clients) client.close()
    return { times, failed }
  }

  #token(client: CallbackClient): Promise<number> {
    const [headers, form] = [basic(this.#client_id), { grant_type: 'client_credentials' }]
    let answered = 0
    function* one(): Exchange {
      answered = (yield { method: 'POST', path: '/oauth2/token', headers, form }).status
    }
    return new Promise((resolve, reject) =>
      client.play(one(), (error) => (error ? reject(error) : resolve(answered))),
    )
  }
}
