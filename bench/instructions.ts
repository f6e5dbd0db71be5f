// Counts the instructions of the main thread for an operation, which other work on the machine does not change:
// `npm --prefix bench run instructions -- --beside NAME=DIST`.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { WrongAnswer } from './answers.ts'
import { assertCallgrind, Callgrind } from './callgrind.ts'
import type { Build } from './candidates.ts'
import { DIST } from './contest.ts'
import { build, endOnSignals, findNode, installPackages } from './machine.ts'
import { createUsers } from './measure.ts'
import { OPERATIONS } from './operations.ts'
import type { Row } from './row.ts'
import { NAMED } from './rows.ts'
import { Stage, start } from './servers.ts'

/** Few: under callgrind a server takes fifty times as long, and refuses who waits for seconds. */
const USERS = 8
/** The rows, how many operations warm up, so that V8 has optimized what they run, and how many are counted. */
const AMOUNTS: Readonly<Record<string, readonly [warm: number, counted: number]>> = {
  'cc-basic': [8500, 1000],
  introspection: [7000, 1000],
  resource: [14_000, 1000],
  'refresh-es256': [3500, 500],
  'session-es256': [1500, 300],
  'sign-in': [400, 150],
}
/** The least that a hash may cost: it is not counted, and under callgrind it takes fifty times as long. */
const LEAST_HASH = ['env', 'ARGON2_MEMORY=8192', 'ARGON2_ITERATIONS=1']
const ROUNDS = 3
const ATTEMPTS = 200

/** Does so many operations. A server that is too slow refuses some: they are repeated, and say that the round does not count. */
async function repeat(users: readonly (() => Promise<void>)[], count: number): Promise<boolean> {
  let left = count
  let refused = 0
  const work = users.map(async (user) => {
    while (left-- > 0) {
      try {
        await user()
      } catch (error) {
        const is_late = error instanceof WrongAnswer ? error.status === 503 : true
        if (!is_late || ++refused > ATTEMPTS) throw error
        left++
      }
    }
  })
  await Promise.all(work)
  return refused === 0
}

/** @returns thousands of instructions for one operation @throws Error if the server refuses too many */
async function measure(row: Row, { label, dist }: Build): Promise<number> {
  const [warm, counted] = AMOUNTS[row.name] ?? [0, 1]
  const stage = new Stage()
  const callgrind = new Callgrind()
  try {
    const node = findNode(process.execPath)
    const under = row.operation === 'sign-in' ? [...LEAST_HASH, ...callgrind.under] : callgrind.under
    const running = await start(stage, { label, server: 'redmint', node, dist, under }, row)
    const { pid = 0 } = running
    const users = []
    for (const user of createUsers({ ...row, connections: USERS }, running.target))
      users.push(await patiently(() => OPERATIONS[row.operation](user)))
    await repeat(users, warm)
    const rounds: number[] = []
    for (let attempt = 0; attempt < ATTEMPTS && rounds.length < ROUNDS; attempt++) {
      callgrind.begin(pid)
      if (await repeat(users, counted)) rounds.push(callgrind.count(pid) / counted / 1000)
    }
    if (rounds.length === 0)
      throw new Error(`${row.name}: the server was too slow for a round without a refusal`)
    // What V8 still optimizes adds to a round.
    return Math.min(...rounds)
  } finally {
    await stage.end()
    callgrind.end()
  }
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}

const { values } = parseArgs({ options: { beside: { type: 'string' }, only: { type: 'string' } } })
endOnSignals()
assertCallgrind()
installPackages()
build()
const [label = '', dist = ''] = values.beside?.split(/=(.*)/s) ?? []
const builds: Build[] = [{ label: 'redmint', dist: DIST }]
if (values.beside !== undefined) builds.push({ label, dist: resolve(dist) })
const names = values.only?.split(',') ?? Object.keys(AMOUNTS)
for (const name of names) {
  const row = NAMED.find((row) => row.name === name)
  if (row === undefined || !(name in AMOUNTS))
    throw new Error(`--only: none of ${Object.keys(AMOUNTS).join(', ')}`)
  const counts = await Promise.all(builds.map((build) => measure(row, build)))
  const told = builds.map(({ label }, i) => `${label} ${counts[i]?.toFixed(0)}`).join(', ')
  const [own = 0, other] = counts
  console.log(
    `${row.title}: thousands of instructions: ${told}${other === undefined ? '' : `; ${(own / other).toFixed(3)}`}`,
  )
}
