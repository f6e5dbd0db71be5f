// Counts the public keys that are imported: of a key set of strangers, that is what takes time.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'

/** Returns a function that says how many keys were imported since. */
export function countImports(t: Test): () => number {
  const { createPublicKey } = crypto
  let count = 0
  const replace = (create: typeof createPublicKey) => {
    Object.assign(crypto, { createPublicKey: create })
    syncBuiltinESMExports()
  }
  replace((key) => {
    count += 1
    return createPublicKey(key)
  })
  t.teardown(() => replace(createPublicKey))
  return () => count
}
