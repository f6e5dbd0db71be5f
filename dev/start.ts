import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { redmintWith } from '../app.ts'
import { hostCalls } from '../cli/calls.ts'
import { createInstance } from '../instance.ts'
import { CLIENT } from '../src/clients/record/client-kind.ts'
import { type Config, readConfig } from '../src/config/config.ts'
import { ConfigError } from '../src/config/config-error.ts'
import { listenProblem } from '../src/config/listen-problem.ts'
import type { Context } from '../src/context.ts'
import { type Log, SILENT } from '../src/core/log.ts'
import { randomText } from '../src/core/token-string.ts'
import { reporter } from '../src/service/reporter.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { everyRecord, noteFitted } from '../src/storage/indexes.ts'
import type { Storage } from '../src/storage/storage.ts'
import { DevClock } from './clock.ts'
import { Faults } from './control/faults/faults.ts'
import { RequestLog } from './control/log/request-log.ts'
import { SeenMails } from './control/mails/seen-mails.ts'
import { registerControl } from './control/routes.ts'
import { keyPairs } from './key-pairs.ts'
import { placeOf, type StartOptions } from './options.ts'
import type { DevParts } from './parts.ts'
import { addPreset } from './preset.ts'
import { Redmint } from './redmint.ts'
import { ResettableStorage } from './resettable-storage.ts'
import { applySeed } from './seed.ts'
import { Taps } from './taps.ts'

export type { StartOptions } from './options.ts'
export type { Redmint } from './redmint.ts'
export type { Seed } from './seed.ts'

/** Bytes of the token that requests at `/dev/` need. */
const TOKEN_BYTES = 24
/** How often the first keys are awaited anew, and milliseconds before that. */
const KEY_WAITS = 100
const KEY_PAUSE_MS = 50

/**
 * Starts a server for development: the real one, in this process, with the records of demo mode and those of the seed,
 * and with what controls it. Many may run in one process.
 * @throws ConfigError, Refusal if it cannot start; the message lists every problem
 */
export async function startRedmint(options: StartOptions = {}): Promise<Redmint> {
  return (await startParts(options)).redmint
}

/** Starts one as startRedmint, and returns what it is made of, too. @throws as startRedmint */
export async function startParts(options: StartOptions): Promise<Started> {
  const place = placeOf(options, process.env)
  const fastify = createInstance({ level: options.log_level ?? 'silent' })
  // Fastify closes only what it listens with itself.
  fastify.addHook('onClose', async ({ server }) => {
    server.closeAllConnections()
    server.close()
  })
  const answerHeld = holdRequests(fastify)
  try {
    const port = await listen(fastify, options.port ?? 0, place.listens_at)
    const config = configOf(options, place.issuerAt(port), place.demo)
    const redmint = await serve(fastify, options, config)
    answerHeld()
    return redmint
  } catch (error) {
    await fastify.close()
    throw error
  }
}

/** A server for development with what it is made of. */
export interface Started {
  readonly redmint: Redmint
  readonly parts: DevParts
}

/** Has requests wait until the server is whole: who looks whether it is there yet comes before that. @returns what ends the wait */
function holdRequests({ server }: FastifyInstance): () => void {
  const handlers = server.listeners('request') as RequestListener[]
  const held: Parameters<RequestListener>[] = []
  const hold = (...request: Parameters<RequestListener>) => held.push(request)
  server.removeAllListeners('request')
  server.on('request', hold)
  return () => {
    server.off('request', hold)
    for (const handler of handlers) server.on('request', handler)
    for (const request of held) server.emit('request', ...request)
  }
}

async function serve(fastify: FastifyInstance, options: StartOptions, config: Config): Promise<Started> {
  const clock = new DevClock()
  const storage: Storage =
    config.redis === undefined ? new ResettableStorage(clock.now) : await openRedisOf(config, fastify.log)
  fastify.addHook('onClose', () => storage.close())
  // Nobody has written into it by hand: its lists are whole.
  if (storage instanceof ResettableStorage) await noteFitted(storage, clock.now())
  else await assertOfNoServer(storage)
  const parts: DevParts = {
    ...{ fastify, clock, storage },
    taps: new Taps(),
    faults: new Faults(),
    log: new RequestLog(),
    mails: new SeenMails(),
    control_token: options.control_token ?? randomText(TOKEN_BYTES),
    issuer: config.settings.issuer,
  }
  await registerControl(fastify, parts)
  parts.taps.attach(fastify)
  parts.taps.add(parts.log.tap(parts))
  parts.taps.add(parts.faults.tap(parts, (id, fault) => parts.log.struck(id, fault)))
  const redmint = new Redmint(parts)
  await fastify.register(redmintWith({ now: clock.now, make_key_pair: keyPairs(), explain: { delay: 0 } }), {
    ...config.settings,
    home: true,
    storage,
  })
  await fastify.ready()
  parts.log.listen(fastify.redmint)
  const calls = hostCalls({
    storage,
    config: { ...config, settings: fastify.redmint.settings },
    openOtherForm: () => storage,
    guesses_issuer: false,
    report: reporter(fastify.redmint, SILENT),
    now: clock.now,
  })
  if (options.seed !== undefined) await applySeed(calls, options.seed, process.env)
  if (options.for !== undefined) redmint.pasted = await addPreset(calls, options.for, options.origin)
  if (storage instanceof ResettableStorage) storage.seal()
  await untilKeys(fastify.redmint)
  return { redmint, parts }
}

// In memory, the driver of Redis is not loaded.
async function openRedisOf(config: Config, log: Log): Promise<Storage> {
  const { openStorage } = await import('../src/service/open-storage.ts')
  return openStorage(config, log)
}

/**
 * A server answers 503 meanwhile; a test would not ask again.
 * @throws StorageUnavailable if they cannot be made
 */
async function untilKeys({ keys }: Pick<Context, 'keys'>): Promise<void> {
  for (let left = KEY_WAITS; ; left--) {
    try {
      return await keys.firstKeys()
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || left === 0) throw error
      // An attempt that failed is made again by a timer.
      await pause(KEY_PAUSE_MS)
    }
  }
}

/** Returns the configuration as the process of a server would read it. */
function configOf(options: StartOptions, issuer: string, demo: true | 'private'): Config {
  const { redis, redis_key_prefix, settings } = options
  const config = readConfig({
    ISSUER: issuer,
    DEMO: String(demo),
    // What is tested runs on this machine, or in a private network.
    BACKCHANNEL_ALLOW_PRIVATE: 'true',
    ...(redis !== undefined && { REDIS_URL: redis }),
    ...(redis_key_prefix !== undefined && { REDIS_KEY_PREFIX: redis_key_prefix }),
  })
  return { ...config, settings: { ...config.settings, ...settings, issuer, demo } }
}

/**
 * Listens first: the issuer has the port, and everything has the issuer.
 * @throws ConfigError that says why this cannot be, and what to do
 */
async function listen({ server }: FastifyInstance, port: number, host: string): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([listenProblem(error, { host, port, variables: { host: 'host', port: 'port' } })])
  })
  return (server.address() as AddressInfo).port
}

/** @throws ConfigError if operators prepared this Redis for a server; signing keys of one are refused by themselves */
async function assertOfNoServer(storage: Storage): Promise<void> {
  if (Object.keys(await storage.signing_keys.read()).length > 0) return
  for await (const { id } of everyRecord(storage, CLIENT)) {
    throw new ConfigError([
      `this Redis has the client ${id} and no keys of demo mode, so it is that of a server: use another Redis, or another key prefix`,
    ])
  }
}
