// Stops replicas and Redis under load, and checks the responses to clients:
// `npm run chaos -- [--storage standalone|sentinel|cluster] [--seconds 120] [--every 4] [--actors 8] [--seed n]`.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Kind, type Owner, PLACES } from '../test/system/proof/chaos/places.ts'
import { runChaos, type Settings } from '../test/system/proof/chaos/run.ts'
import { summarize } from '../test/system/proof/chaos/summary.ts'

function readSettings(): Settings {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { storage: text, seconds: text, every: text, actors: text, seed: text },
  })
  const number = (name: 'seconds' | 'every' | 'actors' | 'seed', byDefault: number, max: number) => {
    const value = Number(values[name] ?? byDefault)
    if (!Number.isInteger(value) || value < 1 || value > max)
      throw new TypeError(`--${name} must be 1 to ${max}`)
    return value
  }
  const storage = values.storage ?? 'standalone'
  if (!Object.hasOwn(PLACES, storage)) {
    throw new TypeError(`--storage must be one of ${Object.keys(PLACES).join(', ')}`)
  }
  return {
    storage: storage as Kind,
    seconds: number('seconds', 120, 3600),
    every: number('every', 4, 60),
    actors: number('actors', 8, 64),
    seed: number('seed', randomInt(1, 2 ** 31), 2 ** 31),
  }
}

const ends: (() => Promise<void>)[] = []
const owner: Owner = { teardown: (end) => ends.unshift(end) }
try {
  const settings = readSettings()
  console.error(`seed ${settings.seed}`)
  const start = Date.now()
  const result = await runChaos(owner, settings, (fault) =>
    console.error(`${((Date.now() - start) / 1000).toFixed(1)} s: ${fault}`),
  )
  console.log(summarize(result))
  if (result.violations.length > 0) process.exitCode = 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  for (const end of ends) await end()
}
