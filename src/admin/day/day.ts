import { type Static, Type } from '@sinclair/typebox'
import type { Storage } from '../../storage/storage.ts'
import { type AdminContext, byName, onlyWithConsole, operation } from '../operation/operation.ts'
import { HOUR, HOURS_KEPT } from './day-counter.ts'
import { addCounts, type HourCounts, noCounts, parseCounts, timeOf } from './hour-counts.ts'

const Count = Type.Integer({ minimum: 0 })
const Within = (part: string) =>
  Type.Optional(
    Type.Number({
      description: `Milliseconds within which ${part} were answered; absent: more than a second`,
    }),
  )

const Hour = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'When the hour began' }),
    succeeded: Type.Integer({ minimum: 0, description: 'Sign-ins' }),
    failed: Type.Integer({ minimum: 0, description: 'Sign-ins with a wrong answer' }),
    limited: Type.Integer({ minimum: 0, description: 'Sign-ins that a limit refused' }),
    refused: Type.Integer({ minimum: 0, description: 'Requests that were refused, for any reason' }),
    requests: Type.Integer({
      minimum: 0,
      description:
        'Requests that were timed: those of the console, of the admin API and for files do not count',
    }),
    p50: Within('half of them'),
    p95: Within('95 of 100'),
    p99: Within('99 of 100'),
  },
  { additionalProperties: false },
)

const Day = Type.Object(
  {
    hours: Type.Array(Hour, { description: 'The last 24 hours and the present one, the oldest first' }),
    reasons: Type.Array(
      Type.Object({ reason: Type.String(), count: Count }, { additionalProperties: false }),
      {
        description: 'Why requests were refused, the most frequent reason first',
      },
    ),
  },
  { $id: 'redmint:Day', additionalProperties: false },
)
/** What happened in the last day, by hours. */
export type Day = Static<typeof Day>

const read = operation({
  name: 'read_day',
  summary: 'Sign-ins, refusals and times of answers in the last day, by hours; to the minute before',
  method: 'GET',
  path: '/server/day',
  scope: 'redmint:server:read',
  answer: Day,
  refusal: onlyWithConsole('Counts of the last day are kept'),
  run: async (context) => ({ body: await readDay(context) }),
})

/** What operators see of the last day. */
export const DAY_OPERATIONS = byName(read)

/** Returns what all processes counted in the last day. @throws StorageUnavailable */
export async function readDay({ storage, now }: Pick<AdminContext, 'storage' | 'now'>): Promise<Day> {
  const present = Math.floor(now() / HOUR)
  const hours = Array.from({ length: HOURS_KEPT }, (_, i) => present - HOURS_KEPT + 1 + i)
  const by_hour = await readHours(storage)
  const total = noCounts()
  for (const hour of hours) addCounts(total, by_hour.get(hour) ?? noCounts())
  return {
    hours: hours.map((hour) => describeHour(hour, by_hour.get(hour) ?? noCounts())),
    reasons: Object.entries(total.refused)
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
  }
}

async function readHours({ bounded }: Pick<Storage, 'bounded'>): Promise<Map<number, HourCounts>> {
  const by_hour = new Map<number, HourCounts>()
  for (const { name, text } of await bounded.read('day-counts')) {
    const hour = Number(name.split('.')[0])
    const counts = parseCounts(text)
    if (counts === undefined) continue
    const sum = by_hour.get(hour) ?? noCounts()
    addCounts(sum, counts)
    by_hour.set(hour, sum)
  }
  return by_hour
}

function describeHour(hour: number, counts: HourCounts): Day['hours'][number] {
  const { succeeded, failed, limited } = counts.sign_ins
  const within = { p50: timeOf(counts, 0.5), p95: timeOf(counts, 0.95), p99: timeOf(counts, 0.99) }
  const known = Object.entries(within).filter(([, ms]) => ms !== undefined && Number.isFinite(ms))
  return {
    at: new Date(hour * HOUR).toISOString(),
    ...{ succeeded, failed, limited },
    refused: Object.values(counts.refused).reduce((sum, count) => sum + count, 0),
    requests: counts.times.reduce((sum, count) => sum + count, 0),
    ...Object.fromEntries(known),
  }
}
