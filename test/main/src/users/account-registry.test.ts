import t from 'tap'
import type { Watcher } from '../../../../src/storage/changes.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { AccountRegistry } from '../../../../src/users/account-registry.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'

t.test('reports of changes can be lost at the moment when they are asked for', async (t) => {
  const storage = Object.assign(new MemoryStorage(), {
    changes: { watch: (_: unknown, watcher: Watcher) => watcher.allChanged(), isLive: () => false },
  })
  const accounts = new AccountRegistry({ storage, log: SILENT, settings: { demo: false }, now: Date.now })
  t.equal(await accounts.find('nobody'), undefined)
})
