// The combinations that every rule must hold in: each storage with each access token format.

import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { ACCESS_TOKEN_FORMATS, type AccessTokenFormat } from '../../src/config/environment.ts'
import type { Log } from '../../src/core/log.ts'
import { openStorage } from '../../src/service/open-storage.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { RedisKeys } from '../../src/storage/redis/keys.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { observed, ofRequests } from './observed.ts'
import { patient } from './patient.ts'
import { isWatching } from './records.ts'
import { redisOfFile } from './redis-of-file.ts'
import type { RedisServer } from './redis-server.ts'
import type { TestOptions } from './service.ts'
import { type Service, startService } from './service.ts'
import { WEEKLY } from './suite.ts'
import { until } from './until.ts'

/** Fields to set as with HSET; undefined removes the field as HDEL does. */
type Fields = Readonly<Record<string, string | undefined>>

/** A storage, and a function that edits its records as an operator does. */
export interface Place {
  storage: Storage
  editToken(token: string, fields: Fields): Promise<void>
}

/** A storage on Redis with its own key prefix. */
export interface PlaceInRedis extends Place {
  keys: RedisKeys
  server: RedisServer
}

export type MakeStorage = (log?: Log) => Promise<Place>

// The storage contract guarantees that storages behave alike; the weekly proofs repeat the rules of endpoints on Redis.
const KINDS = WEEKLY ? { memory: inMemory, redis: patientPlaceInRedis } : { memory: inMemory }

async function patientPlaceInRedis(t: Test, log?: Log): Promise<Place> {
  const place = await placeInRedis(t, log)
  return { ...place, storage: patient(place.storage) }
}

/** Runs the same tests on memory, and in the weekly proofs on a real Redis as well. */
export function forEachStorage(
  t: Test,
  name: string,
  run: (t: Test, makeStorage: MakeStorage) => Promise<void>,
): void {
  for (const [kind, makePlace] of Object.entries(KINDS)) {
    t.test(`${name} (${kind})`, (t) => run(t, (log) => makePlace(t, log)))
  }
}

/** Runs a test on Redis only, for what only Redis has: keys, expiry, redis-cli. */
export function onRedis(t: Test, name: string, run: (t: Test, place: PlaceInRedis) => Promise<void>): void {
  t.test(`${name} (redis)`, async (t) => run(t, await placeInRedis(t)))
}

/** A service on one of the storages that issues one of the formats. */
export interface PlacedService extends Service, Place {
  format: AccessTokenFormat
}

export type Start = (options?: TestOptions) => Promise<PlacedService>

/** Runs the same tests with services on each storage and for each access token format. */
export function forEachService(
  t: Test,
  name: string,
  run: (t: Test, start: Start, format: AccessTokenFormat) => Promise<void>,
): void {
  for (const format of ACCESS_TOKEN_FORMATS) {
    forEachStorage(t, `${name}, ${format}`, (t, makeStorage) => {
      const start: Start = async (options) => {
        const place = await makeStorage()
        const { storage } = place
        const service = await startService(t, { access_token_format: format, storage, ...options })
        return { ...place, ...service, format }
      }
      return run(t, start, format)
    })
  }
}

/** A storage that records the name of every call of a request, and fails all of them while `fault` is set. */
export interface Spy {
  storage: Storage
  calls: string[]
  fault: Error | undefined
}

export function spyOn(storage: Storage): Spy {
  const spy: Spy = { storage, calls: [], fault: undefined }
  const record = ofRequests((call, run) => {
    spy.calls.push(call)
    return spy.fault === undefined ? run() : Promise.reject(spy.fault)
  })
  spy.storage = observed(storage, record)
  return spy
}

/** A new storage in memory, for tests that do not depend on the storage. */
export async function inMemory(): Promise<Place> {
  const storage = new MemoryStorage()
  const edits = new Map<string, Fields>()
  // Records in the memory of a process cannot be edited: the change is applied to what is read.
  const { families } = storage
  const findToken = families.findToken.bind(families)
  const findTokenAndFamily = families.findTokenAndFamily.bind(families)
  families.findToken = async (token) => edit(await findToken(token), edits.get(token))
  families.findTokenAndFamily = async (token) => {
    const found = await findTokenAndFamily(token)
    return { ...found, token: edit(found.token, edits.get(token)) }
  }
  return {
    storage,
    async editToken(token, fields) {
      edits.set(token, { ...edits.get(token), ...fields })
    },
  }
}

function edit(hash: Readonly<Record<string, string>> | undefined, fields: Fields = {}) {
  if (hash === undefined) return undefined
  const edited = Object.entries({ ...hash, ...fields }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(edited) as Record<string, string>
}

const SILENT: Log = { info() {}, warn() {}, error() {} }

async function placeInRedis(t: Test, log: Log = SILENT): Promise<PlaceInRedis> {
  const server = await redisOfFile()
  const redis_key_prefix = `test-${randomUUID()}:`
  const keys = new RedisKeys(redis_key_prefix)
  const storage = openStorage(
    {
      redis: { kind: 'single', url: server.url },
      redis_key_prefix,
      redis_wait_replicas: 0,
      tokens_at_rest: 'plain',
    },
    log,
  )
  t.teardown(() => storage.close())
  return {
    storage,
    async editToken(token, fields) {
      for (const [field, value] of Object.entries(fields)) {
        await (value === undefined
          ? server.cli('HDEL', keys.token(token), field)
          : server.cli('HSET', keys.token(token), field, value))
      }
    },
    keys,
    server,
  }
}

/** Waits until changes of client records are reported, so that records are cached from then on. */
export function watching(storage: Storage): Promise<void> {
  return until('client records are watched', () => isWatching(storage))
}
