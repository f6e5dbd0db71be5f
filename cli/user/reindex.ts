import {
  addSignInName,
  indexedNamesOf,
  namesOf,
  removeSignInName,
  SIGN_IN_NAME,
} from '../../src/accounts/sign-in-names.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { count } from '../../src/core/count.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { PARALLEL } from '../import.ts'
import type { Report } from '../output.ts'
import { forEachInParallel } from '../parallel.ts'
import { Names } from './name-check.ts'

/** The command `user reindex`: makes the index of sign-in names fit all user records. */
export async function reindexUsers(store: RecordStore): Promise<Report> {
  const { records } = store
  const indexed = new Names()
  for await (const { id: name, hash } of records.list(SIGN_IN_NAME)) {
    for (const username of Object.keys(hash)) indexed.add(name, username)
  }
  let removed = 0
  // Each record is read after its name in the index: another command may have just added both.
  await forEachInParallel(indexed.pairs(), PARALLEL, async ([name, username]) => {
    const user = await records.read(USER, username)
    if (user !== undefined && namesOf(username, user.hash).has(name)) return
    await removeSignInName(store, name, username)
    removed += 1
  })
  const missing: [name: string, username: string][] = []
  for await (const { id: username, hash } of records.list(USER)) {
    for (const name of indexedNamesOf(username, hash)) {
      if (!indexed.has(name, username)) missing.push([name, username])
    }
  }
  await forEachInParallel(missing, PARALLEL, ([name, username]) => addSignInName(store, name, username))
  return {
    text: `The index fits the users: ${count(missing.length, 'name')} added, ${removed} removed.`,
    json: { added: missing.length, removed },
  }
}
