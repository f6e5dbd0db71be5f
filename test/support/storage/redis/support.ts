import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { inspect } from 'node:util'
import type { Test } from 'tap'
import type { RedisLocation } from '../../../../src/config/redis-location.ts'
import type { Log } from '../../../../src/core/log.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { stopwatch } from '../../stopwatch.ts'
import { until } from '../../until.ts'

export const PREFIX = 'redmint:'

/** A log whose lines can be read. */
export function recordingLog() {
  const lines: { level: string; message: string; details: object }[] = []
  const at = (level: string) => (details: object, message: string) => lines.push({ level, message, details })
  const log: Log = { info: at('info'), warn: at('warn'), error: at('error') }
  return { log, lines, texts: () => lines.map(({ level, message }) => `${level} ${message}`) }
}

/** Opens a storage, and returns it with its log. */
export function open(t: Test, location: RedisLocation, wait_replicas = 0) {
  const { log, lines, texts } = recordingLog()
  const storage = openRedis(location, new RedisKeys(PREFIX), log, wait_replicas)
  t.teardown(() => storage.close())
  return { storage, lines, texts }
}

export function openAt(t: Test, url: string) {
  return open(t, { kind: 'single', url })
}

/** Waits until the storage can be written to. */
export async function writable(storage: Storage): Promise<void> {
  await until('storage can be written to', () =>
    storage.probe().then(
      () => true,
      () => false,
    ),
  )
}

/** Checks that each call fails with StorageUnavailable within a second, and shows no secret. */
export async function unavailable(
  t: Test,
  calls: Record<string, () => Promise<unknown>>,
  secrets: string[] = [],
) {
  for (const [name, call] of Object.entries(calls)) {
    const elapsed = stopwatch()
    const error = await call().then(
      (answer) => answer,
      (reason: unknown) => reason,
    )
    const took = elapsed()
    t.ok(error instanceof StorageUnavailable, `${name} is unavailable: ${error}`)
    t.ok(took < 1000, `${name} fails in time (${took} ms)`)
    for (const secret of secrets) t.notOk(shown(error).includes(secret), `${name} shows no secret`)
  }
}

/** Everything that printing this value could show. */
export function shown(value: unknown): string {
  return `${inspect(value, { showHidden: true, depth: 20 })} ${JSON.stringify(value)}`
}

/** An address that leads to one of several servers, as a name or a virtual address does. */
export async function startSwitch(t: Test, first: { port: number }) {
  let target = first
  const server = createServer((client) => {
    const upstream = connect(target.port, '127.0.0.1')
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.pipe(upstream).pipe(client)
    t.teardown(() => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    to(next: { port: number }) {
      target = next
    },
  }
}
