// Services on each storage and of each access token format, and the requests of their clients.

import { randomUUID } from 'node:crypto'
import tap, { type Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../src/clients/record/client-record.ts'
import { ACCESS_TOKEN_FORMATS, type AccessTokenFormat } from '../../src/config/environment.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { patient } from './patient.ts'
import { createClient } from './records.ts'
import { redisOfFile } from './redis-of-file.ts'
import type { RedisServer } from './redis-server.ts'
import { redisStorage } from './redis-storage.ts'
import type { TestOptions } from './service.ts'
import {
  type Answer,
  basic,
  CLIENTS,
  codeRequest,
  REDIRECT_URI,
  type Service,
  startService,
} from './service.ts'
import { WEEKLY } from './suite.ts'
import { until, untilAnswers } from './until.ts'

const { app, web } = CLIENTS

/** The clients of a test service, and further clients for the tests of the lifecycle. */
const MORE_CLIENTS = {
  /** Keeps its refresh tokens. */
  fixed: { ...web, client_id: 'fixed', refresh_token_rotation: false },
  /** Has rotation switched off, but is public. */
  'public-fixed': { ...app, client_id: 'public-fixed', refresh_token_rotation: false },
  /** May request e-mail addresses. */
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

/** A service, and requests by its clients; a public client sends its client_id, others use Basic. */
export interface Lifecycle extends Service {
  /**
   * Advances the clock of all replicas and of the storage, by less than 300 seconds in total, because the signing keys
   * count as unread after that time. Undefined if only real time passes.
   */
  advance?(seconds: number): void
  /** The present for the replicas, in milliseconds since 1970. */
  now(): number
  /** Returns an unredeemed code. */
  codeFor(client: ClientName, scope?: string): Promise<string>
  redeem(client: ClientName, code: string): Promise<Answer>
  /** The tokens of a user: authorized, and the code redeemed. */
  signIn(client?: ClientName, scope?: string): Promise<Tokens>
  refresh(client: ClientName, refresh_token: string, form?: Record<string, string>): Promise<Answer>
  /** An access token of the client itself. */
  clientToken(client: ClientName): Promise<string>
  revoke(client: ClientName, token: string, form?: Record<string, string>): Promise<Answer>
  introspect(client: ClientName, token: string): Promise<Answer>
}

/** Starts a replica that checks the revocation of JWTs everywhere; the replicas of one test share a storage. */
export type Start = (options?: TestOptions) => Promise<Lifecycle>

/** The shared storage of the replicas of one test. */
export interface Place {
  /** Opens the storage as another replica does. */
  open(t: Test): Storage
  /** The clock, if it can be moved. */
  clock?: { now(): number; ahead: number }
  redis?: { server: RedisServer; keys: RedisKeys }
}

const PLACES = {
  memory(): Place {
    // The clock stands still except for what a test moves it, however long the test takes.
    const start = Date.now()
    const clock = { ahead: 0, now: () => start + clock.ahead }
    const storage = new MemoryStorage(clock)
    return { open: () => storage, clock }
  },
  async redis(): Promise<Place> {
    const place = placeOn(await redisOfFile())
    return { ...place, open: (t) => patient(place.open(t)) }
  },
}

/** A separate key prefix on a Redis. */
export function placeOn(server: RedisServer): Place {
  const keys = new RedisKeys(`test-${randomUUID()}:`)
  return {
    redis: { server, keys },
    open(t) {
      const storage = redisStorage(t, server, keys)
      return storage
    },
  }
}

// The storage contract guarantees that storages behave alike; the weekly proofs repeat the rules of endpoints on Redis.
type Kind = keyof typeof PLACES
const KINDS: readonly Kind[] = WEEKLY ? ['memory', 'redis'] : ['memory']

/** Runs a test on some storages: by default on memory, in the weekly proofs on a real Redis as well. */
export function forEachStorage(
  name: string,
  run: (t: Test, place: Place) => Promise<void>,
  kinds: readonly Kind[] = KINDS,
): void {
  for (const kind of kinds) {
    const make = PLACES[kind]
    // Buffered, so that the tests of a file that mostly wait can run in parallel.
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

/** Runs a test with services of each of the formats on Redis, for changes that an operator makes with redis-cli. */
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

/** Starts a service at a place; the storage in the options is used instead if there is one. */
export async function startReplica(t: Test, place: Place, options: TestOptions = {}): Promise<Lifecycle> {
  const { clock } = place
  const storage = options.storage ?? place.open(t)
  await untilAnswers(storage)
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

/** How a client authenticates. */
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

/** Repeats a request while Redis does not answer in time, as on a busy machine: the preparation is not under test. */
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

/** Lets time pass: advances the clock if it can be moved, else waits until `over` holds. */
export async function pass(
  { advance }: Lifecycle,
  seconds: number,
  over: () => Promise<boolean>,
): Promise<void> {
  advance?.(seconds)
  await until(`${seconds} seconds are over`, over)
}
