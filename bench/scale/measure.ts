// The whole run: fills a Redis, starts servers on it, and measures.
import type { Redis } from 'ioredis'
import {
  CLIENTS_UPKEEP,
  OF_CLIENTS,
  OF_PEOPLE,
  OF_SERVERS,
  PEOPLE_UPKEEP,
  SERVERS_UPKEEP,
} from '../../src/admin/upkeep/upkeep-record.ts'
import { write } from '../../src/storage/records.ts'
import { describeRun } from '../describe.ts'
import { memoryOf, type Owner } from '../growth-load.ts'
import { TokenLoad, type Tokens } from './beside.ts'
import { type Filled, fill } from './fill.ts'
import { commandRows, repairRow } from './long-work.ts'
import { memoryOfServer, openPlace, type Place, type Programs } from './place.ts'
import { adminRows, consoleRows, type Row, removalRow, sessionsRow } from './requests.ts'
import { type Sizes, sharesOf } from './sizes.ts'

const STARTS = 3

/** What a run found. */
export interface ScaleResults {
  readonly date: string
  readonly commit: string
  readonly cpu_model: string
  readonly cpus: number
  readonly load: readonly number[]
  readonly node: string
  readonly redis: string
  readonly sizes: Sizes
  readonly keys: number
  /** Of Redis, once all is written. */
  readonly memory_gb: number
  readonly filled: readonly Filled[]
  readonly rows: readonly Row[]
  readonly tokens: readonly Tokens[]
  readonly minutes: number
}

interface Run {
  readonly sizes: Sizes
  readonly programs: Programs
  readonly redis_url?: string | undefined
  /** Is told what was found as soon as it is. */
  readonly say: (text: string) => void
}

/** @throws Error if something does not answer as it should */
export async function measureScale(
  owner: Owner,
  { sizes, programs, redis_url, say }: Run,
): Promise<ScaleResults> {
  const began = performance.now()
  const { date, commit, cpu_model, cpus, load } = describeRun(false)
  const place = await openPlace(owner, programs, redis_url)
  const { admin } = place
  const filled = await fill(place, sizes, ({ what, count, bytes, seconds }) =>
    say(`${count} × ${what}: ${bytes.toFixed(0)} bytes each, ${seconds.toFixed(0)} s`),
  )
  const [keys, memory_gb] = [await admin.dbsize(), (await memoryOf(admin)) / 1e9]
  const rows: Row[] = []
  const add = (...more: readonly Row[]) => {
    for (const { what, cost, mb, note = '' } of more)
      say(
        `${what}: ${cost.cpu.toFixed(1)} ms of CPU, ${cost.commands.toFixed(0)} commands, ${mb?.toFixed(0) ?? '–'} MB ${note}`,
      )
    rows.push(...more)
  }
  await putOffUpkeep(place)
  add(await startRow(place))

  const counted = await place.start({ counts: true })
  add(...(await adminRows(place, counted, sizes)), ...(await consoleRows(place, counted, sizes)))
  add(await removalRow(place, counted, 2), await removalRow(place, counted, 1))
  add(await sessionsRow(place, counted, sizes))
  await counted.stop()

  const [working, other] = [await place.start(), await place.start()]
  const tokens = await TokenLoad.open(place, other)
  const long: Record<string, () => Promise<Row>> = {
    'the removal of the client that has most': () => removalRow(place, working, 0),
    ...(await commandRows(place, owner)),
    'the repair': () => repairRow(place),
  }
  for (const [what, work] of Object.entries(long)) add(await tokens.during(what, work))
  const { grants } = sharesOf(sizes)
  return {
    ...{ date, commit, cpu_model, cpus, load, keys, memory_gb, filled, rows },
    node: process.version,
    redis: await versionOf(admin),
    sizes: { ...sizes, grants },
    tokens: tokens.found,
    minutes: (performance.now() - began) / 60_000,
  }
}

/** Notes that servers looked at everything just now: what they do once a day would be among the first rows. */
async function putOffUpkeep({ storage }: Place): Promise<void> {
  const [at, ttl] = [new Date().toISOString(), 86_400]
  const none = { count: 0, oldest: [] }
  const people = { at, people: 0, disabled: 0, linked: {}, groups: [], is_cut: false }
  await storage.records.put(write(CLIENTS_UPKEEP, OF_CLIENTS, { at, old_secrets: none, unused: none }, ttl))
  await storage.records.put(write(PEOPLE_UPKEEP, OF_PEOPLE, people, ttl))
  await storage.records.put(write(SERVERS_UPKEEP, OF_SERVERS, { at, findings: [] }, ttl))
}

/** Starts servers one after the other. */
async function startRow(place: Place): Promise<Row> {
  const starts: { cpu: number; ms: number; mb: number; commands: number }[] = []
  // The first one makes the keys.
  for (let i = 0; i <= STARTS; i++) {
    let server: Awaited<ReturnType<Place['start']>> | undefined
    const { commands } = await place.costOf(async () => {
      server = await place.start()
    })
    if (server === undefined) throw new Error('no server')
    if (i > 0) starts.push({ ...server.start, mb: memoryOfServer(server), commands })
    await server.stop()
  }
  const least = (name: 'cpu' | 'ms' | 'mb' | 'commands') => Math.min(...starts.map((start) => start[name]))
  return {
    what: 'start of a server',
    cost: { cpu: least('cpu'), redis_cpu: 0, ms: least('ms'), commands: least('commands') },
    mb: least('mb'),
  }
}

async function versionOf(admin: Redis): Promise<string> {
  return /redis_version:(\S+)/.exec(await admin.info('server'))?.[1] ?? 'unknown'
}
