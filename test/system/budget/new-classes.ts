// Repeats each of the named operations: `new-classes.ts opaque|jwt NAME…`. V8 logs the hidden classes that it makes
// meanwhile (--log-maps), between those of the two marks of the operation, which have its position in the arguments.
import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import { OPERATIONS, SIGNER } from './operations.ts'
import { startCounted } from './service.ts'

/** The first ones compile code and know no class yet. */
const FIRST = 30
const EXCHANGES = 30

const [format, ...names] = process.argv.slice(2)
const ends: (() => unknown)[] = []
const service = await startCounted(
  { teardown: (end: () => unknown) => ends.push(end) },
  format as AccessTokenFormat,
  [SIGNER],
)
for (const operation of OPERATIONS) {
  const position = names.indexOf(operation.name)
  if (operation.format !== format || position === -1) continue
  const exchanges = []
  for (let i = 0; i < FIRST + EXCHANGES; i++) exchanges.push((await operation.prepare(service))())
  for (const exchange of exchanges.splice(0, FIRST)) await service.play(exchange)
  mark(`begin ${position}`)
  for (const exchange of exchanges) await service.play(exchange)
  mark(`end ${position}`)
}
for (const end of ends.reverse()) await end()

/** Makes a hidden class of this name. */
function mark(name: string): void {
  Reflect.set({}, name, true)
}
