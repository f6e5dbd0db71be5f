// What a large installation needs and costs: `npm --prefix bench run scale -- --people 1000000 --clients 100000 --grants
// 10000000`. It fills a Redis of its own with records as servers write them, starts servers on it, and measures. CPU, round trips and
// commands count: times on the clock are those of a machine that does nothing else.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DIST } from './contest.ts'
import { Owner } from './growth-load.ts'
import { build } from './machine.ts'
import { writeMarked } from './markers.ts'
import { measureScale } from './scale/measure.ts'
import { scaleParts } from './scale/page.ts'
import { assertFits, gigabytes, neededMemory, readOptions, type ScaleOptions, USAGE } from './scale/sizes.ts'
import { scaleText } from './scale/text.ts'

async function main({ sizes, redis_url, out, page }: ScaleOptions): Promise<void> {
  console.error(
    `${sizes.people} people, ${sizes.clients} clients and ${sizes.grants} grants need about ${gigabytes(neededMemory(sizes))} GB of memory.`,
  )
  assertFits(sizes)
  build()
  const owner = new Owner()
  const end = () => owner.end().finally(() => process.exit(130))
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    const programs = { server: [`${DIST}/server.js`], command: [`${DIST}/cli.js`] }
    const results = await measureScale(owner, {
      sizes,
      programs,
      redis_url,
      say: (text) => console.error(text),
    })
    mkdirSync(dirname(out), { recursive: true })
    writeFileSync(out, `${JSON.stringify(results, undefined, 1)}\n`)
    console.log(scaleText(results))
    if (page) writeMarked(new URL('../docs/capacity.md', import.meta.url), scaleParts(results))
  } finally {
    await owner.end()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let options: ScaleOptions | undefined
  try {
    options = readOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`)
    process.exitCode = 2
  }
  if (options !== undefined) await main(options)
}
