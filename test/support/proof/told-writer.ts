// A process that makes steps with entries of the audit trail, one after another, until it is killed. It prints the name and
// the id of each before.
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { RedisKeys } from '../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../src/storage/redis/storage.ts'
import { SILENT } from '../contract/redis-subject.ts'
import { makeStep, prepareStep, TOLD_STEPS } from './told-steps.ts'

const ignoreUnavailable = (error: unknown) => {
  if (!(error instanceof StorageUnavailable)) throw error
}

const [url = '', prefix = '', run = ''] = process.argv.slice(2)
const storage = openRedis({ kind: 'single', url }, new RedisKeys(prefix), SILENT, 0)
for (let i = 0; ; i++) {
  await Promise.all(
    Object.keys(TOLD_STEPS).map(async (name) => {
      const id = `${run}${name}${i}`
      await prepareStep(storage, name, id)
      process.stdout.write(`${name} ${id}\n`)
      // On a busy machine an answer may come too late: the step was made, or it was not.
      await makeStep(storage, name, id).catch(ignoreUnavailable)
    }),
  )
}
