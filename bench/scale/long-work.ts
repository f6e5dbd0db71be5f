// What takes long: commands that read everything, and the repair of all lists.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { FITTED, fittedAt } from '../../src/storage/indexes.ts'
import type { Owner } from '../growth-load.ts'
import type { Cost, Place } from './place.ts'
import type { Row } from './requests.ts'

/** How long the repair is watched at most, in milliseconds: its cost for each key is the same from the first to the last. */
const REPAIR = 60_000
/** How many keys a step of a walk looks at. */
const PER_STEP = 100

/** Commands of the host that read everything, by what they are. */
export async function commandRows(place: Place, owner: Owner): Promise<Record<string, () => Promise<Row>>> {
  const folder = await mkdtemp(join(tmpdir(), 'redmint-scale-'))
  owner.teardown(() => rm(folder, { recursive: true, force: true }))
  const rowOf = (what: string, ...args: readonly string[]) => [
    what,
    async (): Promise<Row> => {
      const { mb, exit, ...cost } = await place.run(...args)
      return { what: `redmint ${what}`, cost, mb, ...(exit !== 0 && { note: `exit code ${exit}` }) }
    },
  ]
  return Object.fromEntries([
    rowOf('user list --inactive 90d', 'user', 'list', '--inactive', '90d'),
    rowOf('client list', 'client', 'list'),
    rowOf('doctor', 'doctor'),
    rowOf('export', 'export', join(folder, 'export.jsonl')),
  ])
}

/** Lets a new server repair all lists, or as much of them as it does in a minute. */
export async function repairRow(place: Place): Promise<Row> {
  const { storage, admin } = place
  await storage.records.take(FITTED, 'fitted')
  const keys = await admin.dbsize()
  const scans = await scansIn(admin)
  const cost: Cost = await place.costOf(async () => {
    const server = await place.start()
    while (
      (await fittedAt(storage)) === undefined &&
      (await storage.records.read(FITTED, 'turn')) === undefined
    )
      await pause(100)
    for (let left = REPAIR; left > 0 && (await fittedAt(storage)) === undefined; left -= 100) await pause(100)
    await server.stop()
  })
  const is_whole = (await fittedAt(storage)) !== undefined
  const part = is_whole ? keys : Math.min(keys, ((await scansIn(admin)) - scans) * PER_STEP)
  const of = (number: number) => number.toLocaleString('en', { maximumFractionDigits: 0 })
  return { what: 'the repair of all lists', cost, note: `${of(part)} of ${of(keys)} keys` }
}

/** How many steps of walks through all keys there were. */
async function scansIn(admin: Redis): Promise<number> {
  return Number(/^cmdstat_scan:calls=(\d+)/m.exec(await admin.info('commandstats'))?.[1] ?? 0)
}
