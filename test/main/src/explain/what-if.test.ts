// What the rules say of one sign-in after the other; test/main/system/explain/what-if.test.ts compares them with what is.
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { completeSettings, type Settings } from '../../../../src/config/settings.ts'
import { whatIf } from '../../../../src/explain/what-if.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { instead } from '../../../support/instead.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { CLIENTS, ISSUER } from '../../../support/service.ts'

async function start(settings: Partial<Settings> = {}) {
  const storage = new MemoryStorage()
  await createUser(storage, 'alice', { sub: 'sub-of-alice', 'claim:groups': '["sales"]' })
  await createUser(storage, 'twin', { sub: 'app' })
  const put = (client_id: string, more: object) =>
    createClient(storage, client_id, formatClient({ ...CLIENTS.app, ...more, client_id }))
  await put('app', {})
  await put('closed', { allowed_groups: ['staff'] })
  const context = { storage, settings: completeSettings({ issuer: ISSUER, ...settings }), now: Date.now }
  return {
    ...{ context, put },
    ask: (client_id: string, acr?: string, username = 'alice') =>
      whatIf(context, { username, client_id, acr }),
  }
}

t.test('a strength is reachable as the settings turn ways to sign in on', async (t) => {
  for (const [settings, reachable] of [
    [{}, ['1', '2', 'phr']],
    [{ second_factor: 'off' }, ['1', 'phr']],
    [{ passkeys: 'off' }, ['1', '2']],
    [{ second_factor: 'off', passkeys: 'off' }, ['1']],
  ] as const) {
    const { ask } = await start(settings)
    for (const acr of ['1', '2', 'phr']) {
      const { allowed, rules } = await ask('app', acr)
      t.equal(allowed, reachable.includes(acr as never), JSON.stringify([settings, acr]))
      t.equal(rules.find(({ passed }) => !passed)?.rule, allowed ? undefined : 'acr')
    }
  }
})

t.test('a group that does not open a client is named beside those that do', async (t) => {
  const { ask } = await start()
  const { allowed, rules } = await ask('closed')
  t.notOk(allowed)
  t.match(rules.slice(-2), [
    { rule: 'account', passed: true },
    {
      rule: 'access',
      passed: false,
      reason: 'access_by_group',
      received: { groups: ['sales'] },
      expected: { allowed_groups: ['staff'] },
    },
  ])
})

t.test('a user who would be taken for the client is refused with the reason of that', async (t) => {
  const { ask } = await start()
  const { allowed, rules, tokens } = await ask('app', undefined, 'twin')
  t.notOk(allowed)
  t.equal(tokens, undefined)
  t.match(rules.at(-1), { passed: false, reason: 'subject_is_client' })
})

t.test('storage that does not answer is no refusal', async (t) => {
  const { context } = await start()
  const { storage } = context
  let reads = 0
  const records = instead(storage.records, {
    // The first read is for the parameters; this one is for the check of the client.
    read: async (...args: Parameters<typeof storage.records.read>) => {
      reads += 1
      if (reads > 1) throw new StorageUnavailable('away')
      return storage.records.read(...args)
    },
  } as Partial<typeof storage.records>)
  const away = { ...context, storage: Object.assign(Object.create(storage), { records }) }
  await t.rejects(whatIf(away, { username: 'alice', client_id: 'app' }), StorageUnavailable)
})
