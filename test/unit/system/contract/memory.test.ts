import t from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { storageContract } from '../../../support/contract/storage-contract.ts'

await storageContract(t, async (t) => {
  // A clock that runs like the real one and can be moved ahead.
  let ahead = 0
  const storage = new MemoryStorage({ now: () => Date.now() + ahead })
  t.teardown(() => storage.close())
  return {
    storage,
    sizeOf: async (family) => storage.families.sizeOf(family),
    advance: (seconds) => {
      ahead += seconds * 1000
    },
  }
})
