// Keys of records that are no hashes, on a real Redis.
import t from 'tap'
import { readConfig } from '../../../src/config/config.ts'
import { SILENT } from '../../../src/core/log.ts'
import { openStorage } from '../../../src/service/open-storage.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { startRedis } from '../../support/redis-server.ts'

t.test('a key that is not a hash is listed as a malformed record, with what to do', async (t) => {
  const redis = await startRedis(t)
  const storage = openStorage(readConfig({ REDIS_URL: redis.url }), SILENT)
  const close = storage.close.bind(storage)
  t.teardown(close)
  const { redmint } = createCli({ storage })
  const what = /names a key of Redis that is not a hash: look at it with TYPE, and remove it with DEL/
  const nouns: [noun: string, name: string, key: string][] = [
    ['client', 'client_id', 'redmint:client:odd'],
    ['user', 'username', 'redmint:user:odd'],
    ['resource', 'resource', 'redmint:resource:odd'],
    ['issuer', 'issuer', 'redmint:issuer:odd'],
    ['provider', 'provider', 'redmint:provider:odd'],
  ]
  for (const [noun, name, key] of nouns) {
    for (const write of [
      ['SET', key, 'text'],
      ['RPUSH', key, 'a', 'b'],
    ]) {
      await redis.cli(...(write as [string, ...string[]]))
      t.match((await redmint([noun, 'list'])).stdout, /^odd .*malformed/m)
      const [listed] =
        parsed<Record<string, object[]>>(await redmint([noun, 'list', '--json']))[`${noun}s`] ?? []
      t.match(listed, { [name]: 'odd', problems: [{ field: name, problem: what }] })
      const linted = await redmint([noun, 'lint', '--json'])
      t.equal(linted.code, 1)
      t.match(parsed(linted), { errors: 1, findings: [{ level: 'error', [name]: 'odd', problem: what }] })
      await redis.cli('DEL', key)
    }
    t.equal((await redmint([noun, 'lint'])).code, 0, 'without the key')
  }
})
