// Long lists of users and clients: few lines are in memory at a time, and few problems are listed.

import t, { type Test } from 'tap'
import { hostCalls } from '../../../cli/calls.ts'
import { importClients } from '../../../cli/client/import.ts'
import type { ListFile } from '../../../cli/list-file.ts'
import { AHEAD } from '../../../cli/list-import.ts'
import { importUsers } from '../../../cli/user/import.ts'
import { readConfig } from '../../../src/config/config.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'

const COUNT = 1200
const user = (index: number) => ({ username: `user-${index}` })
const client = (index: number) => ({
  client_id: `c${index}`,
  grant_types: 'client_credentials',
  is_public: false,
})
const linesOf = (make: (index: number) => object, count = COUNT) =>
  Array.from({ length: count }, (_, index) => JSON.stringify(make(index))).join('\n')

/** A list of so many entries, which tells how many were read when something is stored. */
function listOf(t: Test, make: (index: number) => object) {
  const storage = new MemoryStorage()
  const seen = { passes: 0, read: 0, looked: 0, most: 0 }
  const file: ListFile = {
    placeOf: (index) => `line ${index + 1}`,
    async *entries() {
      seen.passes += 1
      seen.read = 0
      seen.looked = 0
      for (let index = 0; index < COUNT; index += 1) {
        seen.read += 1
        yield { index, value: make(index) }
      }
    },
  }
  const { records } = storage
  const read = records.read.bind(records)
  records.read = async (kind, ...more) => {
    if (kind.name === 'user' || kind.name === 'client') {
      seen.looked += 1
      seen.most = Math.max(seen.most, seen.read - seen.looked)
    }
    return read(kind, ...more)
  }
  const config = readConfig({ REDIS_URL: 'redis://127.0.0.1:1' })
  const openOtherForm = () => storage
  const calls = hostCalls({
    storage,
    config,
    openOtherForm,
    guesses_issuer: false,
    report() {},
    now: Date.now,
  })
  const assertFew = () => {
    t.equal(seen.passes, 2, 'all are checked before any is written')
    t.ok(seen.most < AHEAD, `${seen.most} entries of ${COUNT} were read ahead`)
  }
  return { calls, file, assertFew }
}

const importing = { progress: () => ({ at() {}, end() {} }), async wait() {} }

t.test('few lines are read ahead of those that are looked at', async (t) => {
  await t.test('user import', async (t) => {
    const { calls, file, assertFew } = listOf(t, user)
    const { json } = await importUsers(calls, file, {}, importing)
    t.match(json, { total: COUNT, created: COUNT, users: [] })
    assertFew()
  })
  await t.test('client import', async (t) => {
    const { calls, file, assertFew } = listOf(t, client)
    t.match((await importClients(calls, file, {}, importing)).json, { total: COUNT, created: COUNT })
    assertFew()
  })
})

t.test('a bounded number of problems is listed, and all are counted', async (t) => {
  for (const command of ['user', 'client']) {
    const { redmint } = createCli()
    const { code, stderr } = await redmint(
      [command, 'import', '-'],
      linesOf(() => ({ no: 1 })),
    )
    const lines = stderr.trimEnd().split('\n')
    t.equal(code, 1)
    t.match(lines[0], /Nothing was written\. \d+ problems:$/)
    t.equal(lines.length, 1002)
    t.match(lines.at(-1), /^ {2}… and \d+ more$/)
  }
})

t.test('clients come as lines as well, and each secret is shown', async (t) => {
  const { redmint } = createCli()
  const { clients, ...totals } = parsed<{ clients: { client_secret: string }[]; total: number }>(
    await redmint(['client', 'import', '-', '--json'], linesOf(client, 600)),
  )
  t.match(totals, { total: 600, created: 600 })
  t.equal(new Set(clients.map(({ client_secret }) => client_secret)).size, 600)
  const again = await redmint(['client', 'import', '-'], `${linesOf(client, 2)}\n${linesOf(client, 1)}`)
  t.match(again, { code: 1, stderr: /line 3 "c0": client_id is in the file twice, first at line 1/ })
})

t.test('what storage did not take is counted to the end of the file, and the first are named', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  const { records } = storage
  const create = records.create.bind(records)
  let writes = 0
  records.create = async (...given) => {
    if (given[0]?.kind.name !== 'user') return create(...given)
    writes += 1
    if (writes > 100) throw new StorageUnavailable('it is away')
    return create(...given)
  }
  const { code, stdout } = await redmint(['user', 'import', '-'], linesOf(user))
  t.equal(code, 3)
  const [, unknown] = /^total 1200, created 100, unknown (\d+), not written \d+\.$/m.exec(stdout) ?? []
  t.ok(Number(unknown) > 0, stdout.slice(-200))
  t.match(stdout, /^… and 100 more$/m)
  records.create = create
  const next = await redmint(['user', 'import', '-', '--skip-existing'], linesOf(user))
  t.match(next, { code: 0, stdout: 'total 1200, created 1100, skipped 100.\n' })
})
