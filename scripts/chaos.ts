// Stops replicas and Redis under load, and checks the responses to clients:
// `npm run chaos -- [--storage standalone|sentinel|cluster] [--seconds 120] [--every 4] [--actors 8] [--seed n]
// [--seeds 1] [--hashed] [--wait-replicas 0] [--down-after 4000]`. docs/reliability.md describes the options.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { Owner } from '../test/support/proof/chaos/nodes.ts'
import { type Kind, PLACES } from '../test/support/proof/chaos/places.ts'
import { runChaos, type Settings } from '../test/support/proof/chaos/run.ts'
import { requestsOf, summarize, type Tally, tally, together } from '../test/support/proof/chaos/summary.ts'

/** Shorter than the hour in which registrations are counted, so that all of them are in one window. */
const MAX_SECONDS = 3000
/** Longer than Redis ever hangs in a run, with room for a busy machine. */
const DOWN_AFTER = 4000

/** The settings, and the number of seeds to run. */
function readSettings(): Settings & { seeds: number } {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      storage: text,
      seconds: text,
      every: text,
      actors: text,
      seed: text,
      seeds: text,
      hashed: { type: 'boolean', default: false },
      'wait-replicas': text,
      'down-after': text,
    },
  })
  const number = (name: Exclude<keyof typeof values, 'hashed'>, byDefault: number, max: number, min = 1) => {
    const value = Number(values[name] ?? byDefault)
    if (!Number.isInteger(value) || value < min || value > max)
      throw new TypeError(`--${name} must be ${min} to ${max}`)
    return value
  }
  const storage = values.storage ?? 'standalone'
  if (!Object.hasOwn(PLACES, storage)) {
    throw new TypeError(`--storage must be one of ${Object.keys(PLACES).join(', ')}`)
  }
  return {
    storage: storage as Kind,
    seconds: number('seconds', 120, MAX_SECONDS),
    every: number('every', 4, 60),
    actors: number('actors', 8, 64),
    seed: number('seed', randomInt(1, 2 ** 31), 2 ** 31),
    seeds: number('seeds', 1, 1000),
    hashed: values.hashed,
    wait_replicas: number('wait-replicas', 0, 2, 0),
    down_after: number('down-after', DOWN_AFTER, 60_000, 100),
  }
}

async function runOnce(settings: Settings): Promise<Tally> {
  const ends: (() => Promise<void>)[] = []
  const owner: Owner = { teardown: (end) => ends.unshift(end) }
  try {
    console.error(`seed ${settings.seed}`)
    const result = await runChaos(owner, settings, (line) =>
      console.error(`${new Date().toISOString()} ${line}`),
    )
    return tally(result)
  } finally {
    for (const end of ends) await end()
  }
}

try {
  const { seeds, ...settings } = readSettings()
  let all: Tally | undefined
  for (let count = 0; count < seeds; count += 1) {
    const one = await runOnce({ ...settings, seed: settings.seed + count })
    all = all === undefined ? one : together(all, one)
    console.error(
      `${requestsOf(one)} requests, ${one.unintended.length} unintended failovers, ${one.violations.length} violations`,
    )
    for (const line of one.violations.slice(0, 20)) console.error(`- ${line}`)
  }
  if (all === undefined) throw new TypeError('no seed was run')
  console.log(summarize(all))
  if (all.violations.length > 0) process.exitCode = 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
