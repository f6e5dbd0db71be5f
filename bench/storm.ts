// Measures the token endpoint alone and while users sign in, in turn, round by round: `npm --prefix bench run login`.
// Adds the figures to those of `npm --prefix bench run all`.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DIST } from './contest.ts'
import { describeRun } from './describe.ts'
import { build, findNode, installPackages, pinLoad } from './machine.ts'
import { createUsers } from './measure.ts'
import { OPERATIONS } from './operations.ts'
import { ALL } from './report.ts'
import { readResults, type StormResults, type StormRound, writeResults } from './results.ts'
import { row } from './row.ts'
import { Stage, start } from './servers.ts'
import { quantile } from './statistics.ts'
import { steadily } from './steady.ts'
import { STORM } from './storm-row.ts'
import { stormText } from './storm-text.ts'

const ROUNDS = 8
const SECONDS = 4
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

process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))
installPackages()
build()
const node = findNode(process.execPath)
const { date, commit, load } = describeRun(pinLoad())
const stage = new Stage()
try {
  const { target } = await start(stage, { label: 'redmint', server: 'redmint', node, dist: DIST }, STORM)
  const users = createUsers(TOKENS, target)
  const repeated = await Promise.all(users.map((user) => OPERATIONS.token(user)))
  const crowd = fork(fileURLToPath(new URL('storm-users.ts', import.meta.url)), [target.origin.href])
  stage.teardown(async () => void crowd.kill())
  await once(crowd, 'message')
  const ask = async () => {
    const latencies = await steadily(repeated, PER_SECOND, SECONDS * 1000)
    return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
  }
  const rounds: StormRound[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const alone = await ask()
    const storm = signInFor(crowd, SECONDS * 1000 + 2 * MARGIN_MS)
    await pause(MARGIN_MS)
    const stormy = await ask()
    const found = { alone, stormy, sign_ins: await storm, again: await ask() }
    // The first round warms up.
    if (round > 0) rounds.push(found)
  }
  const results: StormResults = { date, commit, load, node: node.version, per_second: PER_SECOND, rounds }
  console.log(stormText(results))
  writeResults(ALL, { ...readResults(ALL), storm: results })
  console.log(
    'The results are added to bench/results/all.json. `npm --prefix bench run report` writes the page.',
  )
} finally {
  await stage.end()
}

/** @returns sign-ins a second */
async function signInFor(crowd: ChildProcess, ms: number): Promise<number> {
  crowd.send(ms)
  const [rate] = await once(crowd, 'message')
  return rate
}
