// While 64 strangers send whatever needs no credentials to two replicas, people, operators and clients get what they get
// without them, and what strangers lose is counted. FLOOD_SECONDS makes it longer: the weekly run takes ten minutes.
import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { AuditEntry } from '../../../../src/audit/entry.ts'
import { readLockouts } from '../../../../src/limits/lockouts.ts'
import { entriesIn } from '../../../support/audited.ts'
import { type City, startCity } from '../../../support/hostile/city.ts'
import { STRANGERS, strangerIn } from '../../../support/hostile/strangers.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { WEEKLY } from '../../../support/suite.ts'
import { until } from '../../../support/until.ts'

const SECONDS = Number(process.env.FLOOD_SECONDS ?? (WEEKLY ? 600 : 0))
/** How often people do what they do while the strangers go on. */
const ROUNDS = SECONDS > 0 ? 18 : 2
/** How much a stranger sends at least. */
const EACH = 10

/** More names than a group of counters has room for. */
const NAMES = 4000
const AT_ONCE = 100
const HOUR = 3_600_000

t.setTimeout(300_000 + SECONDS * 1000)

t.test('strangers take nothing of what is kept for people, operators and evidence', async (t) => {
  const city = await startCity(t, await startRedis(t))
  const without = await city.round()
  t.strictSame(
    Object.entries(without).filter(([, outcome]) => outcome !== 'ok'),
    [],
    'without strangers',
  )

  const strangers = []
  for (let index = 0; index < STRANGERS; index += 1) strangers.push(await strangerIn(city, index))
  await useUpNames(city)
  const statuses = new Map<number, number>()
  const faults: string[] = []
  let is_over = false
  const floods = strangers.map(async (send) => {
    for (let turn = 0; !is_over || turn < EACH; turn += 1)
      for (const status of await send()) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  const began = performance.now()
  for (let round = 1; round <= ROUNDS; round += 1) {
    t.strictSame(await city.round(), without, `round ${round}`)
    const end = began + (SECONDS * 1000 * round) / ROUNDS
    while (performance.now() < end) await pause(100)
    for (const log of city.logs) faults.push(...log.splice(0).flatMap(faultIn))
  }
  is_over = true
  await Promise.all(floods)
  t.strictSame(await city.round(), without, 'afterwards')
  t.comment(JSON.stringify([...statuses].sort()))
  t.strictSame([...new Set(faults)], [], 'nothing that they send is a fault of ours')
  t.equal(statuses.get(500), undefined)

  const refused = await refusedBy(city.replicas)
  // What waits is written when they close.
  for (const replica of city.replicas) await replica.close()
  const entries = await entriesIn(city.storage)
  const added = entries
    .filter(({ event }) => event === 'client_added')
    .flatMap(({ targets }) => targets.map(({ id }) => id))
  t.strictSame(
    city.made.filter((id) => !added.includes(id)),
    [],
    'each change of the operator is in the trail',
  )
  const isExplained = async (id = '') =>
    (await city.storage.bounded.read('explanations', { name: id })).length > 0
  await until('the last refusal is written', () => isExplained(city.refused.at(-1)))
  t.strictSame(
    await Promise.all(city.refused.map(isExplained)),
    city.refused.map(() => true),
    'each refusal of a registered client is explained',
  )

  const lost = { ...refused, ...(await lostIn(city, entries)) }
  t.comment(JSON.stringify(lost))
  t.strictSame(
    Object.entries(lost).filter(([, count]) => count === 0),
    [],
    'what strangers lost is counted',
  )
})

/** Takes the room for names that strangers choose, as a flood of hours does. */
async function useUpNames({ storage }: City) {
  const groups = ['client', 'sign-in-address', 'sign-in', 'mail-sender'] as const
  for (let start = 0; start < NAMES; start += AT_ONCE) {
    const names = Array.from({ length: AT_ONCE }, (_, i) => hash('sha256', `made up ${start + i}`, 'hex'))
    await Promise.all(
      groups.flatMap((group) => names.map((name) => storage.counters.countFailure(group, name, HOUR))),
    )
  }
}

/** What a line of the log says that is a fault of ours. */
const faultIn = (line: string): string[] => {
  const { level, msg } = JSON.parse(line)
  return level >= 50 ? [msg] : []
}

/** What strangers could not do, as the metrics of all replicas say it. */
async function refusedBy(replicas: City['replicas']) {
  const texts = await Promise.all(
    replicas.map(async (replica) => (await replica.inject({ url: '/actuator/prometheus' })).body),
  )
  const lines = texts.flatMap((text) => text.split('\n'))
  const sum = (name: string) =>
    lines
      .filter((line) => line.startsWith(name))
      .reduce((all, line) => all + Number(line.split(' ').at(-1)), 0)
  return {
    'sign-ins refused': sum('redmint_sign_ins_total{result="limited"}'),
    'clients refused': sum('redmint_events_total{event="client_auth_limited"}'),
    'devices refused': sum('redmint_events_total{event="device_limited"}'),
    'pushed requests refused': sum('redmint_events_total{event="pushing_limited"}'),
    'mails dropped': sum('redmint_mails_dropped_total'),
    'names without a counter': sum('redmint_counters_full_total'),
  }
}

/** What strangers left no trace of but in a number. */
async function lostIn({ storage }: City, entries: readonly AuditEntry[]) {
  const more = new Map(
    (await storage.bounded.read('explanations')).map(({ text, more }) => {
      const { reason, client_id } = JSON.parse(text)
      return [`${reason} ${client_id}`, more]
    }),
  )
  const lockouts = await readLockouts(storage)
  return {
    'codes refused': lockouts.filter(({ counter }) => counter === 'second_step').length,
    'explanations not kept': [...more.values()].reduce((all, count) => all + count, 0),
    'entries counted together': entries.reduce(
      (all, { details }) => all + Number(details?.times ?? 1) - 1,
      0,
    ),
  }
}
