import { CLOCK_SKEW } from '../../core/clock-skew.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import { readServerClocks } from '../../service/running-server.ts'
import type { Storage } from '../../storage/storage.ts'

/** From how many milliseconds a difference between clocks is reported. */
const LATE = 5000

/** Returns the findings about the clocks of the servers that run: none if fewer than two run. */
export async function clockFindings(storage: Pick<Storage, 'records' | 'bounded'>): Promise<Finding[]> {
  const { ok, warning, problem } = findingsOf('clocks of servers')
  const clocks = await readServerClocks(storage)
  const [first, ...others] = clocks.toSorted((one, other) => one.clock - other.clock)
  const last = others.at(-1)
  if (first === undefined || last === undefined) return []
  const apart = last.clock - first.clock
  if (apart < LATE) return [ok(`${clocks.length} processes agree`)]
  const found = `that of ${last.host} is ${(apart / 1000).toFixed(1)} s ahead of that of ${first.host}`
  const advice = 'Set the clocks of both (NTP).'
  if (apart < CLOCK_SKEW * 1000) return [warning(found, advice)]
  return [problem(`${found}: a token of one is not valid yet at the other`, advice)]
}
