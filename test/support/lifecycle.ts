// Services on each storage and of each access token format, and what clients do with them.

import { randomUUID } from 'node:crypto'
import tap, { type Test } from 'tap'
import type { RedmintOptions } from '../../app.ts'
import { type ClientDefinition, formatClient } from '../../src/clients/client-record.ts'
import { ACCESS_TOKEN_FORMATS, type AccessTokenFormat } from '../../src/config/environment.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
import { openRedis } from '../../src/storage/redis/storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { SILENT } from '../system/contract/redis-subject.ts'
import { patient } from './patient.ts'
import { createClient } from './records.ts'
import { type RedisServer, startRedis } from './redis-server.ts'
import {
  type Answer,
  basic,
  CLIENTS,
  codeRequest,
  REDIRECT_URI,
  type Service,
  startService,
} from './service.ts'
import { PROOFS } from './suite.ts'
import { until } from './until.ts'

const { app, web } = CLIENTS

/** The clients of a test service and those that the lifecycle needs beside them. */
const MORE_CLIENTS = {
  /** Keeps its refresh tokens. */
  fixed: { ...web, client_id: 'fixed', refresh_token_rotation: false },
  /** Would like to, but is public. */
  'public-fixed': { ...app, client_id: 'public-fixed', refresh_token_rotation: false },
  /** May know e-mail addresses. */
  letter: { ...app, client_id: 'letter', allowed_scopes: ['openid', 'email'] },
  /** A resource server. */
  gateway: { ...CLIENTS.service, client_id: 'gateway', can_introspect: true },
} satisfies Record<string, ClientDefinition>

const ATTEMPTS = 10

export type ClientName = keyof typeof CLIENTS | keyof typeof MORE_CLIENTS

export interface Tokens {
  access_token: string
  refresh_token: string
  id_token: string
}

/** A service, and its clients' requests; a public client sends its client_id, another one Basic. */
export interface Lifecycle extends Service {
  /**
   * Moves the clock of all replicas and of the storage, by less than 300 seconds in all: the signing keys would
   * count as unread for so long. Where there is no such clock, time has to pass.
   */
  advance?(seconds: number): void
  /** What the replicas take for the present, in milliseconds since 1970. */
  now(): number
  /** Answers a code, unredeemed. */
  codeFor(client: ClientName, scope?: string): Promise<string>
  redeem(client: ClientName, code: string): Promise<Answer>
  /** A user's tokens: authorized, and the code redeemed. */
  signIn(client?: ClientName, scope?: string): Promise<Tokens>
  refresh(client: ClientName, refresh_token: string, form?: Record<string, string>): Promise<Answer>
  /** A client's own access token. */
  clientToken(client: ClientName): Promise<string>
  revoke(client: ClientName, token: string, form?: Record<string, string>): Promise<Answer>
  introspect(client: ClientName, token: string): Promise<Answer>
}

/** Starts a replica, which asks for the revocation of JWTs everywhere; all those of one test share a storage. */
export type Start = (options?: Partial<RedmintOptions>) => Promise<Lifecycle>

/** Where the replicas of one test keep what they share. */
export interface Place {
  /** Opens the storage as another replica does. */
  open(t: Test): Storage
  /** The clock, where it can be moved. */
  clock?: { now(): number; ahead: number }
  redis?: { server: RedisServer; keys: RedisKeys }
}

let server: Promise<RedisServer> | undefined

const PLACES = {
  memory(): Place {
    // It stands still but for what a test moves it, however long the test takes.
    const start = Date.now()
    const clock = { ahead: 0, now: () => start + clock.ahead }
    const storage = new MemoryStorage(clock)
    return { open: () => storage, clock }
  },
  async redis(): Promise<Place> {
    server ??= startRedis(tap)
    const place = placeOn(await server)
    return { ...place, open: (t) => patient(place.open(t)) }
  },
}

/** Room of its own on a Redis. */
export function placeOn(server: RedisServer): Place {
  const keys = new RedisKeys(`test-${randomUUID()}:`)
  return {
    redis: { server, keys },
    open(t) {
      const storage = openRedis({ kind: 'single', url: server.url }, keys, SILENT)
      t.teardown(() => storage.close())
      return storage
    },
  }
}

// The contract suite says that storages are alike; the proofs repeat every rule of an endpoint on Redis.
type Kind = keyof typeof PLACES
const KINDS: readonly Kind[] = PROOFS ? ['memory', 'redis'] : ['memory']

/** Runs a test on each of some storages, by default on memory, in the proofs on a real Redis too. */
export function forEachStorage(
  name: string,
  run: (t: Test, place: Place) => Promise<void>,
  kinds: readonly Kind[] = KINDS,
): void {
  for (const kind of kinds) {
    const make = PLACES[kind]
    // Buffered, so that a file whose tests wait can have them wait together.
    tap.test(`${name} (${kind})`, { buffered: true }, async (t) => run(t, await make()))
  }
}

/** Runs a test with services on each of the storages and of each of the formats. */
export function forEachService(
  name: string,
  run: (t: Test, start: Start, place: Place, format: AccessTokenFormat) => Promise<void>,
  formats: readonly AccessTokenFormat[] = ACCESS_TOKEN_FORMATS,
  kinds: readonly Kind[] = KINDS,
): void {
  for (const format of formats) {
    const runWithServices = (t: Test, place: Place) => {
      const start: Start = (options) =>
        startReplica(t, place, { access_token_format: format, bearer_check_revocation: true, ...options })
      return run(t, start, place, format)
    }
    forEachStorage(`${name}, ${format}`, runWithServices, kinds)
  }
}

/** Runs a test with services of each of the formats on Redis, for what an operator changes there by hand. */
export function onRedis(
  name: string,
  run: (
    t: Test,
    start: Start,
    redis: NonNullable<Place['redis']>,
    format: AccessTokenFormat,
  ) => Promise<void>,
  formats: readonly AccessTokenFormat[] = ACCESS_TOKEN_FORMATS,
): void {
  const runThere: Parameters<typeof forEachService>[1] = (t, start, { redis }, format) => {
    if (redis === undefined) throw new TypeError('this place is not on Redis')
    return run(t, start, redis, format)
  }
  forEachService(name, runThere, formats, ['redis'])
}

/** Starts a service at a place; with a storage of its own where the options have one. */
export async function startReplica(
  t: Test,
  place: Place,
  options: Partial<RedmintOptions> = {},
): Promise<Lifecycle> {
  const { clock } = place
  const storage = options.storage ?? place.open(t)
  await until('storage answers', () => storage.probe().then(...answers))
  for (const client of Object.values(MORE_CLIENTS)) {
    await createClient(storage, client.client_id, formatClient(client))
  }
  const service = await startService(t, { ...(clock ? { now: clock.now } : {}), ...options, storage })
  const advance = (seconds: number) => {
    if (clock) clock.ahead += seconds * 1000
  }
  const now = clock?.now ?? Date.now
  return { ...service, now, ...(clock ? { advance } : {}), ...requests(service) }
}

const answers = [() => true, () => false] as const

/** How a client says who it is. */
function credentials(client: ClientName) {
  const is_public = { ...CLIENTS, ...MORE_CLIENTS }[client].is_public
  return is_public
    ? { form: { client_id: client } as Record<string, string>, headers: {} }
    : { form: {}, headers: basic(client) }
}

function requests({ post, authorize }: Service) {
  const send = (path: string, client: ClientName, form: Record<string, string>) => {
    const own = credentials(client)
    return post(path, { ...own.form, ...form }, own.headers)
  }
  const codeFor = async (client: ClientName, scope = 'openid api.read') => {
    const answer = await answered(() => authorize({ client_id: client, scope }))
    return String(answer.redirect.get('code'))
  }
  const redeem = (client: ClientName, code: string) =>
    send('/oauth2/token', client, codeRequest(code, { client_id: client, redirect_uri: REDIRECT_URI }))
  return {
    codeFor,
    redeem,
    async signIn(client: ClientName = 'app', scope?: string) {
      const code = await codeFor(client, scope)
      return tokensOf(await answered(() => redeem(client, code)))
    },
    refresh: (client: ClientName, refresh_token: string, form: Record<string, string> = {}) =>
      send('/oauth2/token', client, { grant_type: 'refresh_token', refresh_token, ...form }),
    async clientToken(client: ClientName) {
      const answer = await answered(() => send('/oauth2/token', client, { grant_type: 'client_credentials' }))
      return String(answer.json.access_token)
    },
    revoke: (client: ClientName, token: string, form: Record<string, string> = {}) =>
      send('/oauth2/revoke', client, { token, ...form }),
    introspect: (client: ClientName, token: string) => send('/oauth2/introspect', client, { token }),
  }
}

/** Asks again while Redis could not answer in time, as it may be on a busy machine: what prepares a test is not tested. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = ATTEMPTS; ; left--) {
    const answer = await ask()
    if (answer.status !== 503 || left <= 1) return answer
  }
}

/** The tokens in a token response. */
export function tokensOf({ status, text, json }: Answer): Tokens {
  if (status !== 200) throw new Error(`no tokens, but ${status} ${text}`)
  const { access_token, refresh_token, id_token } = json
  return {
    access_token: String(access_token),
    refresh_token: String(refresh_token),
    id_token: String(id_token),
  }
}

/** Lets time pass: at once by a clock that can be moved, else by waiting until `over` holds. */
export async function pass(
  { advance }: Lifecycle,
  seconds: number,
  over: () => Promise<boolean>,
): Promise<void> {
  advance?.(seconds)
  await until(`${seconds} seconds are over`, over)
}
