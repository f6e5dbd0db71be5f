import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { nameForm } from '../../core/visible-text.ts'
import { compareIds } from '../../storage/compare-ids.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { passwordHashProblem } from '../../users/password-hash.ts'
import { SIGN_IN_NAME } from '../../users/sign-in-names.ts'
import { parseUser, type User } from '../../users/user-record.ts'
import { demoWarning, findingsOf, type RecordFinding } from '../operation/findings.ts'
import { lintOperation } from '../operation/lint-operation.ts'
import { misfitProblem } from '../operation/misfit.ts'
import { checkNamesOf, NameCheck, unusableAddress } from './name-check.ts'
import { readUser, USERS } from './record-type.ts'

/** Finds errors and likely mistakes in users, and in the index of their names. */
export const lintUsers = lintOperation(USERS, {
  many: 'users',
  scope: 'redmint:users:read',
  async read(store, name) {
    const id = nameForm(name)
    return { id, hash: await readUser(store, id) }
  },
  async lint({ storage }, users, extent) {
    const found = [...users].flatMap(([username, hash]) => lintUser(username, hash))
    if (extent === 'all') found.push(...(await namesOfAll(storage, users)))
    else {
      for (const [username, hash] of users)
        if (hash !== undefined) found.push(...(await checkNamesOf(storage, username, hash)))
    }
    return found.sort((a, b) => compareIds(a.username, b.username))
  },
})

async function namesOfAll({ records }: RecordStore, users: ReadonlyMap<string, Hash | undefined>) {
  const names = new NameCheck()
  for (const [username, hash] of users) if (hash !== undefined) names.addUser(username, hash)
  for await (const { id, hash } of records.list(SIGN_IN_NAME)) names.addIndexed(id, hash)
  return names.findings()
}

/** Returns the findings about one user. @param hash undefined: the key is not a hash */
export function lintUser(username: string, hash: Hash | undefined): RecordFinding<'username'>[] {
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
