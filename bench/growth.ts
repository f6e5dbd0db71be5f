// Measures what grows with the amount of data and with age: `npm --prefix bench run growth`. It starts its own Redis and server.
// It asserts nothing: test/weekly/system/growth/ asserts that counts and sizes are the same with 2,000 as with 50, and this
// shows their times with far more. Its work is bounded: GROWTH_ROTATIONS, GROWTH_TOKENS, GROWTH_CLIENTS and GROWTH_REQUESTS.
import { deliver } from './deliver.ts'
import { Owner } from './growth-load.ts'
import { clients, tokens } from './growth-requests.ts'
import { rotations, sessions } from './growth-storage.ts'
import { pinLoad } from './machine.ts'
import type { Table } from './table.ts'

pinLoad()
const tables: Table[] = []
for (const measure of [rotations, sessions, tokens, clients]) {
  const owner = new Owner()
  try {
    tables.push(...(await measure(owner)))
  } finally {
    await owner.end()
  }
}
deliver(tables)
