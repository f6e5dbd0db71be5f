// The table of checks that the command `doctor` and the admin API share.
import t from 'tap'
import { CHECK_NAMES, examineAll } from '../../../../../src/admin/doctor/examine.ts'
import { completeSettings } from '../../../../../src/config/settings.ts'
import { type Finding, idOf } from '../../../../../src/service/finding.ts'
import { StorageUnavailable } from '../../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../../src/storage/storage.ts'
import { readText, section, tableRows } from '../../../../support/markdown.ts'
import { onRedis } from '../../../../support/matrix.ts'
import { operatorOn } from '../../../../support/operator.ts'

const READ_ALL = [
  'clients',
  'registration',
  'users',
  'sign-in_names',
  'passkeys',
  'resources',
  'types_of_details',
  'trusted_issuers',
  'other_servers',
  'providers',
]

t.test('each check has a row in the documentation, and each row a check', async (t) => {
  const rows = tableRows(section(await readText('docs/operations.md'), '`redmint doctor`'))
  const named = rows.slice(1).flatMap(([names = '']) => names.split(', '))
  t.strictSame(named.map(idOf).sort(), [...CHECK_NAMES, 'demo records'].map(idOf).sort())
})

t.test('Redis is compared with the clock of the moment, however long the records took before', async (t) => {
  const storage: Storage = new MemoryStorage()
  const clock = { at: Date.parse('2026-11-28T10:00:00.000Z') }
  const { records } = storage
  const walk = records.walk.bind(records)
  records.walk = (...args) => {
    clock.at += 90_000
    return walk(...args)
  }
  const seen: number[] = []
  storage.examine = async (now) => {
    seen.push(now())
    return []
  }
  const settings = completeSettings({ issuer: 'http://127.0.0.1:1' })
  const examined = { storage, settings, guesses_issuer: true, now: () => clock.at }
  await examineAll(examined, true)
  t.ok(clock.at > Date.parse('2026-11-28T10:01:00.000Z'), 'it took long')
  t.strictSame(seen, [clock.at])
})

onRedis(t, 'the API makes all checks but those that read all records', async (t, { storage }) => {
  const records = new Proxy(storage.records, {
    get(target, name) {
      if (name === 'list' || name === 'scan' || name === 'walk') throw new Error('it reads all records')
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const examined = { ...storage, records }
  const { body } = await operatorOn(examined).run('doctor')
  t.strictSame(body.left_out, READ_ALL)
  const findings = body.findings as Finding[]
  const ids = findings.map(({ id }) => id)
  t.strictSame(
    [...new Set(ids)].filter((id) => !CHECK_NAMES.map(idOf).includes(id)),
    [],
  )
  for (const id of [
    'redis',
    'rights',
    'latency',
    'memory_growth',
    'issuer',
    'servers',
    'audit_trail',
    'lockouts',
  ])
    t.ok(ids.includes(id), id)
  const numberOf = (level: string) => findings.filter((finding) => finding.level === level).length
  t.strictSame([body.problems, body.warnings], [numberOf('problem'), numberOf('warning')])
  t.ok(numberOf('warning') > 0, 'there are no signing keys')
})

t.test('without a server of storage there are no checks of one', async (t) => {
  const { body } = await operatorOn(new MemoryStorage()).run('doctor')
  const ids = (body.findings as Finding[]).map(({ id }) => id)
  t.notOk(ids.includes('redis'))
  t.ok(ids.includes('signing_keys'))
})

t.test('without storage it fails, and says so', async (t) => {
  const storage = new MemoryStorage()
  storage.signing_keys.read = () => Promise.reject(new StorageUnavailable('away'))
  await t.rejects(operatorOn(storage).run('doctor'), StorageUnavailable)
})
