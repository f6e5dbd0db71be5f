// Searches for inputs that break a property, guided by coverage:
// `npm run fuzz -- [--seconds 60] [--target form] [--seed n]`. The seconds are for each target.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { corpusOf } from '../test/support/fuzz/corpus.ts'
import { explore, isOwnCode } from '../test/support/fuzz/explore.ts'
import { TARGETS } from '../test/support/fuzz/targets.ts'

const MAX_SECONDS = 86_400
const text = { type: 'string' } as const

function readSettings() {
  const { values } = parseArgs({ options: { seconds: text, target: text, seed: text } })
  const number = (name: 'seconds' | 'seed', byDefault: number, max: number) => {
    const value = Number(values[name] ?? byDefault)
    if (!Number.isInteger(value) || value < 1 || value > max)
      throw new TypeError(`--${name} must be 1 to ${max}`)
    return value
  }
  const targets = TARGETS.filter(({ name }) => values.target === undefined || name === values.target)
  if (targets.length === 0)
    throw new TypeError(`--target must be one of ${TARGETS.map(({ name }) => name).join(', ')}`)
  return {
    targets,
    seconds: number('seconds', 60, MAX_SECONDS),
    seed: number('seed', randomInt(1, 2 ** 31), 2 ** 31),
  }
}

try {
  const { targets, seconds, seed } = readSettings()
  console.error(`seed ${seed}`)
  for (const target of targets) {
    const corpus = Object.values(await corpusOf(target.name))
    const found = await explore(target, { seed, corpus, effort: { seconds }, isWatched: isOwnCode })
    console.log(`${target.name}: ${found.tried} inputs, ${found.corpus.length} reached new code`)
    if (found.broken === undefined) continue
    console.log(`  broken by ${JSON.stringify(found.broken.input)}`)
    console.log(`  ${(found.broken.error as Error).message}`)
    process.exitCode = 1
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
// A target may keep a server open.
process.exit()
