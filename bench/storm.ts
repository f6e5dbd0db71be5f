// Measures the token endpoint alone and while users sign in, in turn, round by round: `npm --prefix bench run login`.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DIST } from './contest.ts'
import { build, endOnSignals, findNode, installPackages, type Node, pinLoad } from './machine.ts'
import { createUsers } from './measure.ts'
import { OPERATIONS } from './operations.ts'
import { PARTIAL, type Plan } from './plan.ts'
import type { StormResults, StormRound } from './results.ts'
import { row } from './row.ts'
import { Stage, start } from './servers.ts'
import { quantile } from './statistics.ts'
import { steadily } from './steady.ts'
import { STORM } from './storm-row.ts'
import { stormText } from './storm-text.ts'

/** The sign-ins begin before the tokens are measured, and end after it. */
const MARGIN_MS = 500
const PER_SECOND = 400
const TOKENS = row({
  name: 'tokens',
  title: 'tokens',
  operation: 'token',
  connections: 16,
  candidates: ['redmint'],
})

/** Measures rounds of tokens before, during and after a storm of sign-ins, which comes from a process of its own. */
export async function measureStorm(
  node: Node,
  { storm: { rounds, seconds } }: Pick<Plan, 'storm'>,
): Promise<StormResults> {
  pinLoad()
  const stage = new Stage()
  try {
    const { target } = await start(stage, { label: 'redmint', server: 'redmint', node, dist: DIST }, STORM)
    const users = createUsers(TOKENS, target)
    stage.teardown(async () => {
      for (const { connection } of users) connection.close()
    })
    const repeated = await Promise.all(users.map((user) => OPERATIONS.token(user)))
    const crowd = fork(fileURLToPath(new URL('storm-users.ts', import.meta.url)), [target.origin.href])
    stage.teardown(async () => void crowd.kill())
    await once(crowd, 'message')
    const ask = async () => {
      const latencies = await steadily(repeated, PER_SECOND, seconds * 1000)
      return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
    }
    const found: StormRound[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const alone = await ask()
      const storm = signInFor(crowd, seconds * 1000 + 2 * MARGIN_MS)
      await pause(MARGIN_MS)
      const stormy = await ask()
      const measured = { alone, stormy, sign_ins: await storm, again: await ask() }
      // The first round warms up.
      if (round > 0) found.push(measured)
    }
    return { per_second: PER_SECOND, rounds: found }
  } finally {
    await stage.end()
  }
}

/** @returns sign-ins a second */
async function signInFor(crowd: ChildProcess, ms: number): Promise<number> {
  crowd.send(ms)
  const [rate] = await once(crowd, 'message')
  return rate
}

if (import.meta.filename === process.argv[1]) {
  endOnSignals()
  installPackages()
  build()
  console.log(stormText(await measureStorm(findNode(process.execPath), PARTIAL)))
}
