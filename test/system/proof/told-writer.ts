// A process that makes steps with entries of the audit trail, one after another, until it is killed. It prints the name and
// the id of each before.
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import { SILENT } from '../contract/redis-subject.ts'
import { makeStep, prepareStep, TOLD_STEPS } from './told-steps.ts'

const [url = '', prefix = '', run = ''] = process.argv.slice(2)
const storage = openRedis({ kind: 'single', url }, new RedisKeys(prefix), SILENT, 0)
for (let i = 0; ; i++) {
  await Promise.all(
    Object.keys(TOLD_STEPS).map(async (name) => {
      const id = `${run}${name}${i}`
      await prepareStep(storage, name, id)
      process.stdout.write(`${name} ${id}\n`)
      await makeStep(storage, name, id)
    }),
  )
}
