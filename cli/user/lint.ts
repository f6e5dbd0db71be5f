import type { Finding } from '../../src/admin/operation/findings.ts'
import { unlistedFindings } from '../../src/admin/operation/misfit.ts'
import { lintUser } from '../../src/admin/users/lint.ts'
import { checkNamesOf, NameCheck } from '../../src/admin/users/name-check.ts'
import { readUser } from '../../src/admin/users/noun.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { SIGN_IN_NAME } from '../../src/users/sign-in-names.ts'
import { USER } from '../../src/users/user-kind.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'

/**
 * The command `user lint`, for one user or for all.
 * @throws Refusal if the one user does not exist
 */
export async function lintUsers(store: RecordStore, username: string | undefined): Promise<Report> {
  const findings: Finding<'username'>[] = []
  const checked: string[] = []
  const check = (name: string, hash?: Hash) => {
    checked.push(name)
    findings.push(...lintUser(name, hash))
  }
  if (username === undefined) {
    const names = new NameCheck()
    for await (const { id, hash } of store.records.list(USER, check)) {
      check(id, hash)
      names.addUser(id, hash)
    }
    for await (const { id, hash } of store.records.list(SIGN_IN_NAME)) names.addIndexed(id, hash)
    findings.push(...names.findings())
  } else {
    const hash = await readUser(store, username)
    check(username, hash)
    findings.push(...(await checkNamesOf(store, username, hash)))
  }
  findings.push(...(await unlistedFindings(store, USER, 'username', checked)))
  findings.sort((a, b) => (a.username < b.username ? -1 : 1))
  return reportFindings('user', 'username', checked.length, findings)
}
