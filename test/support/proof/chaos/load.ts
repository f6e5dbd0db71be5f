// Clients with random requests that retry until they get a response; some act as thieves.
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type Server, type Way } from '../client.ts'
import { type Allowance, type Entry, type History, type Once, type Place, undecided } from '../history.ts'
import { definitionOf, Registrant, registeredBy } from '../registrant.ts'
import { PROOF_CLIENTS } from '../replica.ts'
import type { Random } from './random.ts'

type Send = (server: Server, way: Way) => Promise<Entry>

/** One sign-in from the view of its client. */
interface Session {
  client: Client
  code: string
  access_token: string
  refresh_token: string
  /** The previous refresh token, for a second tab that is late. */
  earlier?: string
}

/** A token that was revoked, alone or with its family. */
interface Ended {
  client: Client
  token: string
}

/** The next actions of an actor, by weight. */
const STEPS = {
  signIn: 20,
  use: 35,
  refresh: 20,
  probe: 10,
  revokeAccess: 3,
  revokeAll: 5,
  replay: 4,
  own: 3,
  assert: 3,
  register: 3,
}
const PLACES: readonly Place[] = ['api', 'userinfo', 'introspect']
const USERS = [
  ...(['app', 'web', 'jwt-app', 'jwt-web', 'tv', 'for-api', 'jwt-for-api'] as const),
  ...(['fapi', 'jwt-fapi'] as const),
]
const OWNERS = ['web', 'jwt-web', 'fapi', 'jwt-fapi'] as const
/** How often a thief presents again what was accepted once. */
const REPLAYED = 0.3
/** How many sessions an actor keeps, and how many revoked tokens it keeps trying. */
const SESSIONS = 4
const REMEMBERED = 50
/** Milliseconds until a client without a response retries. */
const RECONNECT = 250
/** Milliseconds until a client gives up, which the checker reports as a violation. */
const GIVE_UP = 90_000
const THIEF = { honest: false }

export interface World {
  history: History
  /** With what clients may register. */
  allowances: readonly Allowance[]
  choose(random: Random): Server
  /** Called when a client begins to wait; the returned function gets the duration in milliseconds. */
  waiting(): (milliseconds: number) => void
}

/** A client program: one request after the other, each until it gets a response. */
export class Actor {
  readonly #world: World
  readonly #random: Random
  readonly #gateway: Client
  readonly #users: Client[]
  /** Clients that may get tokens for themselves. */
  readonly #owners: Client[]
  /** A client that has assertions instead of a secret. */
  readonly #workload: Client
  readonly #registrant: Registrant
  readonly #sessions: Session[] = []
  readonly #ended: Ended[] = []

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
    this.#gateway = new Client(world.history, PROOF_CLIENTS.gateway)
    const known = (name: keyof typeof PROOF_CLIENTS) => new Client(world.history, PROOF_CLIENTS[name])
    this.#users = USERS.map(known)
    this.#owners = OWNERS.map(known)
    this.#workload = known('ci')
    this.#registrant = new Registrant(world.history)
  }

  async step(): Promise<void> {
    const name = this.#random.weighted(STEPS)
    if (name === 'register') return this.#register()
    if (name === 'signIn' || this.#sessions.length === 0) return this.#signIn(this.#random.pick(this.#users))
    if (name === 'own') return this.#own()
    if (name === 'assert') return this.#assert()
    if (name === 'probe')
      return this.#ended.length > 0 ? this.#probe(this.#random.pick(this.#ended)) : undefined
    const session = this.#random.pick(this.#sessions)
    if (name === 'use') return this.#use(session)
    if (name === 'refresh') return this.#refresh(session)
    if (name === 'revokeAccess') return this.#revokeAccess(session)
    return name === 'revokeAll' ? this.#revokeAll(session) : this.#replay(session)
  }

  /** Checks once more every revoked and every valid token. */
  async finish(): Promise<void> {
    for (const ended of this.#ended) await this.#probe(ended)
    for (const session of [...this.#sessions]) {
      await this.#use(session)
      await this.#refresh(session)
    }
  }

  async #signIn(client: Client): Promise<void> {
    const request_uri = client.pushes ? await this.#push(client) : undefined
    const ask: Send = (server, way) => client.authorize(server, way, request_uri)
    const { code } = (await this.#insist(ask)).outcome
    // A pushed request may be lost with its code; the checker knows when.
    if (code === undefined) return
    if (request_uri !== undefined) await this.#sometimesAgain(ask)
    const redeemed = await this.#insist((server, way) => client.redeem(server, code, way))
    const { access_token, refresh_token } = redeemed.outcome
    // A code may be lost with the replica that redeemed it; the checker knows when.
    if (access_token === undefined || refresh_token === undefined) return
    if (this.#sessions.length >= SESSIONS) this.#sessions.shift()
    this.#sessions.push({ client, code, access_token, refresh_token })
  }

  async #use({ client, access_token, refresh_token }: Session): Promise<void> {
    const place = this.#random.pick(client.places)
    const present: Send = (server, way) => this.#present(client, place, server, access_token, way)
    const { once } = await this.#insist(present)
    if (once?.proof !== undefined)
      await this.#sometimesAgain((server, way) => present(server, { ...way, once }))
    if (place !== 'introspect' || client.is_public) return
    await this.#insist((server, way) => client.use(server, refresh_token, place, way))
  }

  async #refresh(session: Session): Promise<void> {
    const { client, refresh_token, earlier } = session
    const late = earlier !== undefined && this.#random.next() < 0.1
    const presented = late ? earlier : refresh_token
    // Whether a second tab is still in the retry window depends on how long the first one waited.
    const entry = await this.#insist((server, way) =>
      client.refresh(server, presented, late ? { ...way, ...THIEF } : way),
    )
    const tokens = entry.outcome
    if (tokens.access_token === undefined || tokens.refresh_token === undefined) return this.#forget(session)
    session.access_token = tokens.access_token
    if (late) return
    session.refresh_token = tokens.refresh_token
    session.earlier = refresh_token
  }

  async #revokeAccess(session: Session): Promise<void> {
    const { client, access_token } = session
    await this.#insist((server, way) => client.revoke(server, access_token, way))
    this.#end(client, access_token)
    await this.#refresh(session)
  }

  async #revokeAll(session: Session): Promise<void> {
    const { client, refresh_token } = session
    await this.#insist((server, way) => client.revoke(server, refresh_token, way))
    this.#endSession(session)
  }

  async #replay(session: Session): Promise<void> {
    const { client, code } = session
    await this.#insist((server, way) => client.redeem(server, code, { ...way, ...THIEF }))
    this.#endSession(session)
  }

  async #own(): Promise<void> {
    const client = this.#random.pick(this.#owners)
    const { outcome, once } = await this.#insist((server, way) => client.ownToken(server, way))
    const { access_token } = outcome
    if (access_token === undefined) return
    await this.#insist((server, way) => client.use(server, access_token, 'api', way))
    await this.#replayAssertion(client, once)
  }

  /** Pushes a request, and returns its request_uri. */
  async #push(client: Client): Promise<string | undefined> {
    const { outcome, once } = await this.#insist((server, way) => client.push(server, way))
    await this.#replayAssertion(client, once)
    return outcome.request_uri
  }

  /** A thief presents an assertion again, at the same endpoint or at another one, with a new proof. */
  async #replayAssertion(client: Client, { client_assertion }: Once = {}): Promise<void> {
    if (client_assertion === undefined) return
    const once = { client_assertion }
    const pushes = this.#random.next() < 0.5
    await this.#sometimesAgain((server, way) => {
      return pushes ? client.push(server, { ...way, once }) : client.ownToken(server, { ...way, once })
    })
  }

  /** Sends a request as a thief. */
  async #sometimesAgain(send: Send): Promise<void> {
    if (this.#random.next() >= REPLAYED) return
    await this.#insist((server, way) => send(server, { ...way, ...THIEF }))
  }

  /** A token for an assertion, which is then presented again. */
  async #assert(): Promise<void> {
    const client = this.#workload
    const { action, outcome } = await this.#insist((server, way) => client.assert(server, way))
    const { access_token } = outcome
    if (action.kind !== 'assertion' || access_token === undefined) return
    await this.#insist((server, way) => client.use(server, access_token, 'api', way))
    await this.#insist((server, way) => client.assert(server, { ...way, ...THIEF }, action.assertion))
  }

  /** A new client, which its user then signs in to as to every other one. */
  async #register(): Promise<void> {
    const { history, allowances } = this.#world
    const allowance = this.#random.pick(allowances)
    const answer = await this.#insist((server, way) => this.#registrant.register(server, allowance, way))
    const registered = registeredBy(answer)
    if (registered === undefined) return
    await this.#insist((server, way) => this.#registrant.read(server, registered, way))
    await this.#signIn(new Client(history, definitionOf(registered)))
  }

  async #probe({ client, token }: Ended): Promise<void> {
    const place = this.#random.pick(PLACES)
    await this.#present(client, place, this.#world.choose(this.#random), token, THIEF)
  }

  #present(client: Client, place: Place, server: Server, token: string, way: Way): Promise<Entry> {
    const asker = place === 'introspect' && client.is_public ? this.#gateway : client
    return asker.use(server, token, place, way)
  }

  #endSession(session: Session): void {
    this.#forget(session)
    this.#end(session.client, session.access_token)
    this.#end(session.client, session.refresh_token)
  }

  #forget(session: Session): void {
    this.#sessions.splice(this.#sessions.indexOf(session), 1)
  }

  #end(client: Client, token: string): void {
    this.#ended.push({ client, token })
    if (this.#ended.length > REMEMBERED) this.#ended.shift()
  }

  /** Sends a request until the response is conclusive: after Retry-After, and to a replica that the balancer chooses. */
  async #insist(send: Send): Promise<Entry> {
    const { history, choose, waiting } = this.#world
    const way = { request: history.newRequest() }
    const waited = waiting()
    const start = performance.now()
    for (;;) {
      const entry = await send(choose(this.#random), way)
      const took = performance.now() - start
      if (!undecided(entry) || took > GIVE_UP) {
        waited(took)
        return entry
      }
      const { retry_after } = entry.outcome
      await pause(retry_after === undefined ? RECONNECT : Number(retry_after) * 1000)
    }
  }
}
