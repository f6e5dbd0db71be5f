// Measures operations with one connection and with many, in short rounds after an idle time and in long ones.
import { contestOf } from './contest.ts'
import { burst, createUsers } from './measure.ts'
import { patiently } from './patience.ts'
import type { Plan } from './plan.ts'
import type { Sample, ShapeResult } from './results.ts'
import type { Row } from './row.ts'
import { ROWS } from './rows.ts'
import type { Candidate } from './servers.ts'

const CONNECTIONS = [1, 64] as const
const MOST = Math.max(...CONNECTIONS)

/** The operations that are measured so, with the candidates that are of interest. */
export const SHAPED: readonly Row[] = ['cc-basic', 'introspection', 'refresh-es256', 'session-es256'].flatMap(
  (name) =>
    ROWS.filter((row) => row.name === name).map(
      (row): Row => ({ ...row, connections: MOST, candidates: ['redmint'] }),
    ),
)

/** About how many seconds one operation takes. */
export function secondsOfShapes({ short, long }: Plan['shapes'], candidates: number): number {
  const rounds = short.rounds * (short.seconds + 0.3) + long.seconds + 0.3
  return 4 + candidates * (short.seconds + 0.3 + CONNECTIONS.length * rounds)
}

/**
 * Measures one operation. The servers are loaded in turn, so each of them is idle while the others are.
 * @throws Error if a server does not start, or answers wrongly
 */
export async function measureShapes(
  row: Row,
  candidates: readonly Candidate[],
  { short, long }: Plan['shapes'],
): Promise<ShapeResult[]> {
  return await contestOf(row, candidates, async (contestants) => {
    const found: ShapeResult[] = []
    for (const [nth, connections] of CONNECTIONS.entries()) {
      const courses = contestants.map(({ result, running }) => ({
        result,
        running,
        users: createUsers({ ...row, connections }, running.target),
        short: [] as Sample[],
        long: [] as Sample[],
      }))
      const turn = async (round: number, seconds: number, slices: number, into?: 'short' | 'long') => {
        // The one that was first is last in the next round.
        for (const [index] of courses.entries()) {
          const course = courses[(index + round) % courses.length]
          if (!course) continue
          const { running, users } = course
          const { samples } = await patiently(`${row.name}, ${course.result.label}`, () =>
            burst(row, running, users, seconds * 1000, slices),
          )
          if (into) course[into].push(...samples)
        }
      }
      // The very first round warms up.
      if (nth === 0) await turn(0, short.seconds, 1)
      for (let round = 1; round <= short.rounds; round += 1) await turn(round, short.seconds, 1, 'short')
      await turn(0, long.seconds, long.slices, 'long')
      for (const rounds of ['short', 'long'] as const) {
        const measured = courses.map((course) => ({ ...course.result, samples: course[rounds] }))
        found.push({ name: row.name, connections, rounds, candidates: measured })
      }
    }
    return found
  })
}
