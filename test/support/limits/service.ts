// Services with a low limit, and requests of a client from any address.

import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { Storage } from '../../../src/storage/storage.ts'
import { type Place, placeOn, forEachStorage as withPlaces } from '../lifecycle.ts'
import { isWatching } from '../records.ts'
import type { RedisServer } from '../redis-server.ts'
import type { TestOptions } from '../service.ts'
import { basic, SECRET, type Service, startService } from '../service.ts'
import { until, untilAnswers } from '../until.ts'

export const MAX = 5
const WINDOW = 60

/** A request of a client; every part is optional. */
export interface Request {
  client_id?: string
  client_secret?: string
  /** By Basic, in the body, or as a public client by client_id alone. */
  by?: 'basic' | 'body' | 'none'
  path?: '/oauth2/token' | '/oauth2/revoke' | '/oauth2/introspect'
  /** The source address. */
  from?: string
  headers?: Record<string, string>
  form?: Record<string, string>
}

/** A response without the parts that always differ. */
export interface Answer {
  status: number
  headers: Record<string, unknown>
  body: string
}

export interface Limited extends Service {
  /** Requests, revokes or introspects a token as the client `service` with the right secret. */
  ask(request?: Request): Promise<Answer>
  /** The same with a wrong secret; returns the status. */
  guess(request?: Request): Promise<number>
  /** Guesses until the limit is reached. */
  exhaust(request?: Request): Promise<void>
  /** Ends all open windows. */
  endWindows(): Promise<void>
}

/** Starts replicas that share storage and clock. */
export type StartLimited = (options?: TestOptions, storage?: Storage) => Promise<Limited>

/** Runs a test on memory and on a real Redis. */
export function forEachStorage(
  name: string,
  run: (t: Test, start: StartLimited, place: Place) => Promise<void>,
): void {
  withPlaces(name, (t, place) => run(t, startAt(t, place), place))
}

/** Services on a Redis. */
export function onRedis(t: Test, server: RedisServer): { start: StartLimited; place: Place } {
  const place = placeOn(server)
  return { start: startAt(t, place), place }
}

type Clock = NonNullable<Place['clock']>

function startAt(t: Test, place: Place): StartLimited {
  const clock: Clock = place.clock ?? { ahead: 0, now: () => Date.now() + clock.ahead }
  return async (options = {}, storage = place.open(t)) => {
    await untilAnswers(storage)
    const service = await startService(t, {
      client_auth_failures: MAX,
      client_auth_window: WINDOW,
      now: clock.now,
      ...options,
      storage,
    })
    await until('client records are watched', () => isWatching(storage))
    const ask = async (request: Request = {}): Promise<Answer> => {
      const { statusCode, headers, body } = await service.fastify.inject(toInject(request))
      const { date: _, 'content-length': __, ...rest } = headers
      return { status: statusCode, headers: rest, body }
    }
    const guess = async (request: Request = {}) => (await ask({ client_secret: 'wrong', ...request })).status
    return {
      ...service,
      ask,
      guess,
      async exhaust(request) {
        for (let i = 0; i < MAX; i += 1) await guess(request)
      },
      async endWindows() {
        clock.ahead += WINDOW * 1000 + 1
        for (const key of await failureKeys(place)) await place.redis?.server.cli('DEL', key)
      },
    }
  }
}

/** The counter keys in Redis. */
export async function failureKeys({ redis }: Place): Promise<string[]> {
  if (redis === undefined) return []
  const found = await redis.server.cli('--scan', '--pattern', `${redis.keys.prefix}failures:*`)
  return found.split('\n').filter((key) => key !== '')
}

function toInject(request: Request): InjectOptions {
  const { client_id = 'service', client_secret = SECRET, by = 'basic', path = '/oauth2/token' } = request
  const { from = '192.0.2.1', headers = {}, form = {} } = request
  const own = path === '/oauth2/token' ? { grant_type: 'client_credentials' } : { token: 'x' }
  const proof = { basic: {}, body: { client_id, client_secret }, none: { client_id } }[by]
  return {
    method: 'POST',
    url: path,
    remoteAddress: from,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(by === 'basic' ? basic(client_id, client_secret) : {}),
      ...headers,
    },
    payload: new URLSearchParams({ ...own, ...proof, ...form }).toString(),
  }
}
