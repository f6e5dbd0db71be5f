import { type Finding, findingsOf } from '../../service/finding.ts'
import type { ExaminedServer } from '../../storage/examined-server.ts'
import type { Storage } from '../../storage/storage.ts'
import { mebibytes, usedMemory } from './redis.ts'

const DAY = 86_400_000
/** For how many milliseconds a measurement is kept. */
const KEPT = 14 * DAY
/** One for each server and day. */
const MAX_KEPT = 300
/** How far apart, in milliseconds, two measurements must be to say something. */
const APART = 20 * 3_600_000
/** For fewer days of growth left than these, a warning says so. */
const SCARCE = 30

/**
 * Returns the finding about how memory grows: compared with the oldest measurement of the last 14 days, one of which is
 * kept a day.
 * @param now milliseconds since 1970
 * @throws StorageUnavailable
 */
export async function growthFindings(
  { bounded }: Pick<Storage, 'bounded'>,
  { name, info }: ExaminedServer,
  now: number,
): Promise<Finding[]> {
  const { ok, warning } = findingsOf('memory growth', name)
  const used = usedMemory(info)
  if (Number.isNaN(used))
    return [warning('could not be read', 'Make sure that its user may call INFO, and look at used_memory.')]
  const entries = await bounded.read('memory')
  const measured = entries
    .filter((entry) => entry.name.startsWith(`${name} `))
    .map(({ text }) => text.split(' ').map(Number))
    .map(([at = Number.NaN, bytes = Number.NaN]) => ({ at, used: bytes }))
    .filter((one) => now - one.at >= APART && !Number.isNaN(one.used))
    .sort((one, other) => one.at - other.at)
  const day = new Date(now).toISOString().slice(0, 10)
  const entry = { name: `${name} ${day}`, text: `${now} ${used}` }
  await bounded.put('memory', [entry], { ttl: KEPT, max: MAX_KEPT, keep: true })
  const [first] = measured
  if (first === undefined) return [ok('not known before this command runs on another day')]
  const a_day = ((used - first.used) / (now - first.at)) * DAY
  const days = Math.round((now - first.at) / DAY)
  const found = `${mebibytes(a_day)} a day, in the last ${days} days`
  const limit = Number(info?.get('maxmemory') ?? 0)
  if (limit === 0 || a_day <= 0) return [ok(found)]
  const left = Math.floor((limit - used) / a_day)
  if (left >= SCARCE) return [ok(`${found}: maxmemory lasts for ${left} days`)]
  return [
    warning(
      `${found}: maxmemory is used up in ${Math.max(0, left)} days`,
      'Raise maxmemory, or look at what grows (docs/keyspace.md).',
    ),
  ]
}
