// Many concurrent requests through all replicas, and the state that must remain.
import type { Redis } from 'ioredis'
import type { Test } from 'tap'
import { allowedQuestion } from './allowed-question.ts'
import { Client, type Server } from './client.ts'
import { type Entry, grantOf, type History, type Place, succeeded } from './history.ts'
import { check, describe } from './history-check.ts'
import { liveTokens, PROOF_CLIENTS } from './replica.ts'

type ClientName = keyof typeof PROOF_CLIENTS

/** Where a storm takes place. */
export interface Sea {
  redis: Redis
  prefix: string
  replicas: readonly Server[]
  history: History
  /** How many requests at the same moment. */
  width: number
}

interface Tokens {
  access_token: string
  refresh_token: string
}

const PLACES: readonly Place[] = ['api', 'userinfo', 'introspect']
/** Participants in a storm are not guaranteed to succeed. */
const STORMY = { honest: false }

/** A family and the operations on it. */
export class Storm {
  readonly #sea: Sea
  readonly #name: ClientName
  readonly #client: Client
  readonly #gateway: Client

  constructor(sea: Sea, client: ClientName) {
    this.#sea = sea
    this.#name = client
    this.#client = new Client(sea.history, PROOF_CLIENTS[client])
    this.#gateway = new Client(sea.history, PROOF_CLIENTS.gateway)
  }

  /** Sends WIDTH concurrent requests, alternating between the replicas. */
  gather(send: (client: Client, server: Server, index: number) => Promise<Entry>): Promise<Entry[]> {
    const { width } = this.#sea
    return Promise.all(
      Array.from({ length: width }, (_, index) => send(this.#client, this.#server(index), index)),
    )
  }

  async code(): Promise<string> {
    if (this.#client.asks) return allowedQuestion(this.#sea, this.#name, this.#server(0).name)
    const request_uri = this.#client.pushes ? await this.push() : undefined
    const { outcome } = await this.#client.authorize(this.#server(0), {}, request_uri)
    return outcome.code ?? ''
  }

  /** Pushes an authorization request, and returns its request_uri. */
  async push(asked?: Record<string, string>): Promise<string> {
    const { outcome } = await this.#client.push(this.#server(1), {}, asked)
    return outcome.request_uri ?? ''
  }

  async signIn(): Promise<Tokens & { code: string }> {
    const code = await this.code()
    const [tokens] = tokensOf([await this.#client.redeem(this.#server(1), code)])
    if (tokens === undefined) throw new Error('a code did not yield tokens')
    return { ...tokens, code }
  }

  redeemAll(code: string): Promise<Entry[]> {
    return this.gather((client, server) => client.redeem(server, code, STORMY))
  }

  refreshAll(refresh_token: string): Promise<Entry[]> {
    return this.gather((client, server) => client.refresh(server, refresh_token, STORMY))
  }

  replay(code: string): Promise<Entry> {
    return this.#client.redeem(this.#server(2), code, STORMY)
  }

  revoke(token: string): Promise<Entry> {
    return this.#client.revoke(this.#server(2), token)
  }

  /** The tokens among these that any endpoint accepts. */
  async accepted(tokens: readonly string[]): Promise<string[]> {
    const attempts = tokens.flatMap((token) =>
      PLACES.map(async (place, index) => {
        const client = place === 'introspect' ? this.#gateway : this.#client
        return succeeded(await client.use(this.#server(index), token, place, STORMY)) ? [token] : []
      }),
    )
    return [...new Set((await Promise.all(attempts)).flat())]
  }

  /** The number of usable tokens of a family. */
  live(token: string) {
    return liveTokens(this.#sea.redis, this.#sea.prefix, grantOf(token))
  }

  #server(index: number): Server {
    const { replicas } = this.#sea
    const server = replicas[index % replicas.length]
    if (server === undefined) throw new TypeError('there is a replica')
    return server
  }
}

/** The tokens of the successful requests. */
export function tokensOf(entries: readonly Entry[]): Tokens[] {
  return entries.filter(succeeded).map(({ outcome: { access_token = '', refresh_token = '' } }) => ({
    access_token,
    refresh_token,
  }))
}

/** The number of responses by outcome. */
export function tally(entries: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of entries) {
    const answer = String(outcome.error ?? outcome.status ?? 'none')
    counts[answer] = (counts[answer] ?? 0) + 1
  }
  return counts
}

/** One code in many requests: one succeeds, the others are replays, so finally all tokens are revoked. */
export async function stormOfCodes(t: Test, sea: Sea, rounds: number, client: ClientName): Promise<void> {
  const storm = new Storm(sea, client)
  for (let round = 1; round <= rounds; round++) {
    const code = await storm.code()
    const answers = await storm.redeemAll(code)
    t.same(tally(answers), { 200: 1, invalid_grant: sea.width - 1 }, `${client}, round ${round}: one wins`)
    const won = tokensOf(answers).flatMap(Object.values) as string[]
    t.same(await storm.accepted(won), [], 'what it won is worth nothing')
    t.same(await storm.live(code), { access_token: 0, refresh_token: 0 })
  }
}

/** One refresh token after the other, each in many requests: all get the same successor. */
export async function stormOfRefreshes(t: Test, sea: Sea, rounds: number, client: ClientName): Promise<void> {
  const storm = new Storm(sea, client)
  let { refresh_token, access_token } = await storm.signIn()
  for (let round = 1; round <= rounds; round++) {
    const answers = await storm.refreshAll(refresh_token)
    t.same(tally(answers), { 200: sea.width }, `${client}, round ${round}: everybody goes on`)
    const tokens = tokensOf(answers)
    const successors = [...new Set(tokens.map((each) => each.refresh_token))]
    t.equal(successors.length, 1, 'with the same successor')
    t.equal((await storm.live(refresh_token)).refresh_token, 1, 'which is the only one')
    ;[{ refresh_token = '', access_token = '' } = {}] = tokens
  }
  t.same(await storm.accepted([access_token]), [access_token], 'and the family lives')
}

/** One assertion in many requests: one gets a token, which stays valid. */
export async function stormOfAssertions(
  t: Test,
  sea: Sea,
  rounds: number,
  next: () => Record<string, string>,
) {
  const { replicas, width } = sea
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  for (let round = 1; round <= rounds; round++) {
    const body = new URLSearchParams(next()).toString()
    const statuses = await Promise.all(
      Array.from({ length: width }, async (_, index) => {
        const { address } = replicas[index % replicas.length] ?? {}
        return (await fetch(`${address}/oauth2/token`, { method: 'POST', headers, body })).status
      }),
    )
    const won = statuses.filter((status) => status === 200).length
    const refused = statuses.filter((status) => status === 400 || status === 401).length
    t.same([won, refused], [1, width - 1], `round ${round}: one wins`)
  }
}

/** Registers many clients at once with each invitation: as many succeed as it allows. */
export async function stormOfInvitations(
  t: Test,
  { replicas, width }: Sea,
  rounds: number,
  invite: (uses: number) => Promise<string>,
) {
  const body = JSON.stringify({ redirect_uris: ['https://app.example/callback'] })
  for (let round = 1; round <= rounds; round++) {
    const uses = (round % 3) + 1
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${await invite(uses)}` }
    const statuses = await Promise.all(
      Array.from({ length: width }, async (_, index) => {
        const { address } = replicas[index % replicas.length] ?? {}
        return (await fetch(`${address}/oauth2/register`, { method: 'POST', headers, body })).status
      }),
    )
    const registered = statuses.filter((status) => status === 201).length
    const refused = statuses.filter((status) => status === 401).length
    t.same([registered, refused], [uses, width - uses], `round ${round}: ${uses} of ${width}`)
  }
}

/** Asserts that the history of a storm violates no rule. */
export function assertGood(t: Test, history: History): void {
  t.strictSame(check(history).map(describe), [])
}

/** Holds that every grant record is named by the lists of its user and of its client. */
export async function assertListed(t: Test, { redis, prefix }: Sea): Promise<void> {
  const grants = await redis.keys(`${prefix}grant:*`)
  t.not(grants.length, 0)
  for (const key of grants) {
    const { username, client_id, started_at } = await redis.hgetall(key)
    const id = `${key.slice(-17, -1)}:${started_at}`
    for (const list of [`grants-of-user:${username}`, `grants-of-client:${client_id}`]) {
      const until = Number(await redis.zscore(prefix + list, id))
      const ends = Date.now() + (await redis.pttl(key))
      t.ok(until >= ends - 1000, `${list} has ${id} as long as it can live`)
    }
  }
}
