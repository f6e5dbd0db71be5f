// Who takes part while Redis has a fault, and what Redis holds.
import type { Redis } from 'ioredis'
import { REQUEST_URI } from '../pushing.ts'
import { allowedQuestion } from './allowed-question.ts'
import { Client, type Server } from './client.ts'
import { type Allowance, grantOf, type History } from './history.ts'
import { definitionOf, newInvitation, type Registered, Registrant } from './registrant.ts'
import { liveTokens, PROOF_CLIENTS } from './replica.ts'

/** The participants. */
export interface Scene {
  history: History
  client: Client
  gateway: Client
  server: Server
  /** Registers clients, and changes their registrations. */
  registrant: Registrant
  /** A client that registered itself. */
  as(client: Registered): Client
  /** Forgets all registrations, and makes an invitation for as many clients. */
  invite(clients: number): Promise<Allowance>
  /** What Redis holds of registrations since then. */
  registrations(): Promise<Registrations>
  /** Asks a question, and allows it as alice does, without a page. Returns what its client polls with. */
  allowed(): Promise<string>
  /** Forgets all pushed requests. */
  forgetPushed(): Promise<void>
  /** In how many seconds each pushed request lapses that was not answered. */
  pushed(): Promise<readonly number[]>
  /** How many codes came of a request_uri. */
  codesOf(request_uri: string): Promise<number>
  /** The number of usable tokens in the family of this token. */
  live(token: string): Promise<{ access_token: number; refresh_token: number }>
}

interface Registrations {
  /** Of each client that registered itself: in how many seconds it lapses. */
  readonly lifetimes: readonly number[]
  /** How many are counted that had no invitation. */
  readonly counted: number
  /** How many may still use the invitation. */
  readonly uses_left: number
}

/** Returns the participants in a history: a client of PROOF_CLIENTS, and the server that prepares what it needs. */
export function sceneOf(
  redis: Redis,
  prefix: string,
  { history, client, server }: { history: History; client: keyof typeof PROOF_CLIENTS; server: Server },
): Scene {
  const counters = `${prefix}registrations:{clients}`
  const registered = () => redis.keys(`${prefix}client:self-*`)
  let invitation = ''
  const pushed = () => redis.keys(`${prefix}pushed:*`)
  return {
    history,
    client: new Client(history, PROOF_CLIENTS[client]),
    gateway: new Client(history, PROOF_CLIENTS.gateway),
    server,
    registrant: new Registrant(history),
    as: (found) => new Client(history, definitionOf(found)),
    async invite(clients) {
      await redis.del(counters, ...(await registered()))
      const { allowance, key, commands } = newInvitation(prefix, clients)
      for (const [name, ...args] of commands) await redis.call(name, ...args)
      invitation = key
      return allowance
    },
    async registrations() {
      const lifetimes = await Promise.all((await registered()).map((key) => redis.ttl(key)))
      const [counted, uses_left] = [
        await redis.hget(counters, '*'),
        await redis.hget(invitation, 'uses_left'),
      ]
      return { lifetimes, counted: Number(counted ?? 0), uses_left: Number(uses_left ?? 0) }
    },
    allowed: () => allowedQuestion({ redis, prefix, history }, client, server.name),
    async forgetPushed() {
      const keys = await pushed()
      if (keys.length > 0) await redis.del(...keys)
    },
    pushed: async () => Promise.all((await pushed()).map((key) => redis.ttl(key))),
    async codesOf(request_uri) {
      const id = request_uri.slice(REQUEST_URI.length)
      return (await redis.keys(`${prefix}code:{${grantOf(id)}}.*`)).length
    },
    live: (token) => liveTokens(redis, prefix, grantOf(token)),
  }
}
