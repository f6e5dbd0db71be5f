// How the cost of a storage call grows with the age of a family and the size of a session.
import { EventEmitter } from 'node:events'
import type { Redis } from 'ioredis'
import { completeSettings } from '../src/config/settings.ts'
import { SILENT } from '../src/core/log.ts'
import { newFamilyId } from '../src/core/token-string.ts'
import { newCookieValue, sessionIdOf } from '../src/sessions/browser.ts'
import { endSession } from '../src/sessions/end-session.ts'
import { joinSession } from '../src/sessions/join-session.ts'
import { createSession, useSessionFor } from '../src/sessions/session-store.ts'
import { MemoryStorage } from '../src/storage/memory/storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { refreshing, signIn } from '../test/support/contract/family.ts'
import { session } from '../test/support/contract/session-contract.ts'
import { useRefreshToken } from '../test/support/contract/use-refresh-token.ts'
import { callsIn } from '../test/support/redis-calls.ts'
import { type Owner, openStorage, upTo } from './growth-load.ts'
import type { Table } from './table.ts'

const MOST_ROTATIONS = Number(process.env.GROWTH_ROTATIONS ?? 100_000)

/** The keys of a family and their bytes. */
async function sizeOf(admin: Redis, grant: string) {
  const keys = await admin.keys(`*{${grant}}*`)
  const bytes = await Promise.all(keys.map((key) => admin.memory('USAGE', key, 'SAMPLES', 0)))
  return { keys: keys.length, bytes: bytes.reduce<number>((sum, each) => sum + Number(each), 0) }
}

/** The time that Redis spent in scripts, in microseconds. */
async function scriptTime(admin: Redis): Promise<number> {
  const stats = await admin.info('commandstats')
  const times = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/gm)]
  return times.reduce((sum, [, time]) => sum + Number(time), 0)
}

/** One family that is refreshed again and again. */
export async function rotations(owner: Owner): Promise<Table[]> {
  const tables: Table[] = []
  const { admin, storage } = await openStorage(owner)
  for (const [name, where] of [
    ['Redis', storage],
    ['memory', new MemoryStorage()],
  ] as const) {
    const { grant, refresh_token } = await signIn(where)
    const rows = []
    let [done, presented] = [0, refresh_token]
    for (const size of upTo(MOST_ROTATIONS, [1, 1000, 10_000])) {
      const [from, calls, time, cpu] = [
        done,
        await callsIn(admin),
        await scriptTime(admin),
        process.cpuUsage(),
      ]
      for (; done < size; done++) {
        const { access_token: _, ...jwt } = refreshing(grant, `operation ${done}`)
        const { outcome } = await useRefreshToken(where, presented, jwt)
        if (outcome !== 'ok') throw new Error(`the refresh is ${outcome}`)
        presented = jwt.successor
      }
      const { user, system } = process.cpuUsage(cpu)
      const each = (more: number) => more / (done - from)
      // npm --prefix bench run growth makes the collector callable.
      globalThis.gc?.()
      rows.push({
        rotations: size,
        'µs of this process': each(user + system),
        'heap MB': process.memoryUsage().heapUsed / 1e6,
        ...(name === 'Redis' && {
          'script µs': each((await scriptTime(admin)) - time),
          'calls in Redis': each((await callsIn(admin)) - calls),
          ...(await sizeOf(admin, grant)),
        }),
      })
    }
    tables.push({ title: `One family, refreshed again and again, ${name}`, rows })
  }
  return tables
}

/** A session with more and more clients. */
export async function sessions(owner: Owner): Promise<Table[]> {
  const { admin, storage } = await openStorage(owner)
  const rows = []
  for (const size of [1, 50, 1000]) {
    const signedIn = await sessionOf(storage, size)
    const bytes = Number(await admin.memory('USAGE', `redmint:session:${signedIn.id}`, 'SAMPLES', 0))
    // The first calls compile code.
    for (let i = 0; i < 20; i++) await signedIn.steps.read()
    for (const [step, run] of Object.entries(signedIn.steps)) {
      const [calls, time, cpu] = [await callsIn(admin), await scriptTime(admin), process.cpuUsage()]
      await run()
      const { user, system } = process.cpuUsage(cpu)
      rows.push({
        'clients of the session': size,
        'bytes of the session': bytes,
        step,
        'µs of this process': user + system,
        'script µs': (await scriptTime(admin)) - time,
        'calls in Redis': (await callsIn(admin)) - calls,
      })
    }
  }
  return [{ title: 'A session with many clients, a family of each', rows }]
}

/** A session with this number of clients, and what is done with it. */
async function sessionOf(storage: Storage, size: number) {
  const names = Array.from({ length: size }, (_, i) => `client-${i}`)
  const families = new Map(names.map((client_id) => [newFamilyId(), { client_id, joined_at: Date.now() }]))
  const cookie = newCookieValue()
  const id = sessionIdOf(cookie)
  const record = session({ clients: new Set(names), families })
  await createSession(storage, id, record, 3600)
  const context = {
    storage,
    settings: completeSettings({ issuer: 'https://a.example' }),
    clients: { find: async () => undefined },
    logouts: new EventEmitter<{ queued: [] }>(),
    log: SILENT,
    now: Date.now,
  }
  const joined = { id, sid: record.sid, has_joined: true }
  const steps = {
    read: () => useSessionFor(storage, id, 3600, 'client-0'),
    join: () => joinSession(context, joined, 'client-0', newFamilyId()),
    'log out': () => endSession(context, cookie),
  }
  return { id, steps }
}
