import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { passwordHashProblem } from '../../users/password-hash.ts'
import { parseUser, type User } from '../../users/user-record.ts'
import { demoWarning, type Finding, findingsOf } from '../operation/findings.ts'
import { misfitProblem } from '../operation/misfit.ts'
import { unusableAddress } from './name-check.ts'

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
