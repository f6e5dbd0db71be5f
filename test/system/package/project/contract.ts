// The contract suite, run on a storage as its author would run it.

import { MemoryStorage } from 'redmint/storage'
import { type Make, storageContract } from 'redmint/testing'
import t from 'tap'

const make: Make = async (t) => {
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
}

await storageContract(t, make)
