// Prints the bytes that the operations of a format allocate, as JSON by name: `allocated-bytes.ts opaque|jwt`. It runs
// with V8_OPTIONS in a process of its own.
import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import { type CountedService, startCounted } from './service.ts'

const EXCHANGES = 25
const ROUNDS = 6

/** The least bytes of an exchange, its client included; the first round compiles code, and other work only adds. */
async function bytesOf(service: CountedService, operation: Operation): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const exchanges = []
    for (let i = 0; i < EXCHANGES; i++) exchanges.push((await operation.prepare(service))())
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    for (const exchange of exchanges) await service.play(exchange)
    least = Math.min(least, (process.memoryUsage().heapUsed - before) / EXCHANGES)
  }
  return Math.round(least)
}

const [format, ...names] = process.argv.slice(2)
const ends: (() => unknown)[] = []
const service = await startCounted(
  { teardown: (end: () => unknown) => ends.push(end) },
  format as AccessTokenFormat,
)
const found: Record<string, number> = {}
for (const operation of OPERATIONS) {
  if (operation.format !== format || !names.includes(operation.name)) continue
  found[operation.name] = await bytesOf(service, operation)
}
for (const end of ends.reverse()) await end()
process.stdout.write(`${JSON.stringify(found)}\n`)
