import { passwordHashProblem } from '../../src/accounts/password-hash.ts'
import { SIGN_IN_NAME } from '../../src/accounts/sign-in-names.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { parseUser, type User } from '../../src/accounts/user-record.ts'
import { demoWarning, type Finding, findingsOf } from '../../src/admin/findings.ts'
import { misfitProblem, unlistedFindings } from '../../src/admin/misfit.ts'
import { readUser } from '../../src/admin/users/noun.ts'
import type { FieldProblem, Hash } from '../../src/core/record-hash.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'
import { checkNamesOf, NameCheck, unusableAddress } from './name-check.ts'

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

/** Returns the findings about one user. @param hash undefined: the key is not a hash */
export function lintUser(username: string, hash: Hash | undefined): Finding<'username'>[] {
  if (hash === undefined) return findingsOf({ username }, [misfitProblem('username')], [])
  const parsed = parseUser(username, hash)
  const unusable = unusableAddress(username, hash)
  const address = unusable === undefined ? [] : [{ field: 'email_verified', problem: unusable }]
  return parsed.ok
    ? findingsOf({ username }, [], [...warnings(parsed.record), ...address])
    : findingsOf({ username }, parsed.problems, address)
}

function warnings({ username, demo, password_hash }: User): FieldProblem[] {
  const why = password_hash === undefined ? undefined : passwordHashProblem(password_hash)
  const unusable = {
    field: 'password_hash',
    problem: `${why}: no password matches it, so set one with redmint user set-password`,
  }
  return [...(demo ? [demoWarning('user', username)] : []), ...(why === undefined ? [] : [unusable])]
}
