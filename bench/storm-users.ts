// The users of a storm of sign-ins, in a process of their own: they must not delay what measures the other requests.
// Each message is a number of milliseconds in which they sign in again and again; the answer is their rate.
import { load } from './load.ts'
import { createUsers } from './measure.ts'
import { OPERATIONS } from './operations.ts'
import { attach } from './servers.ts'
import { STORM } from './storm-row.ts'

const { target } = await attach(new URL(process.argv[2] ?? ''))
process.on('message', async (ms: number) => {
  const users = createUsers(STORM, target)
  const repeated = await Promise.all(users.map((user) => OPERATIONS[STORM.operation](user)))
  const { slices } = await load(repeated, ms, async () => {})
  for (const { connection } of users) connection.close()
  const [{ operations, seconds } = { operations: 0, seconds: 1 }] = slices
  process.send?.(operations / seconds)
})
process.send?.('ready')
