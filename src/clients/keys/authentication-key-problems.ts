import { parseObject } from '../../core/json.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { SIGNING_ALGS } from '../../core/signing-algs.ts'
import { algsOf } from '../../keys/key-set.ts'
import { keySetProblem } from '../record/key-fields.ts'
import { maySignWith, PROFILES, withProfile } from '../record/profiles.ts'

/**
 * Returns what is wrong with the keys in the record of a client that authenticates by them: it would never authenticate.
 * What is at its jwks_uri is not known.
 * @param before the record before a change; what was wrong there already is left out
 */
export function authenticationKeyProblems(hash: Hash, before: Hash = {}): FieldProblem[] {
  const problem = keyProblem(hash)
  return problem === undefined || problem === keyProblem(before) ? [] : [{ field: 'jwks', problem }]
}

function keyProblem(hash: Hash): string | undefined {
  const { token_endpoint_auth_method: method, token_endpoint_auth_signing_alg: alg, jwks } = withProfile(hash)
  if (method !== 'private_key_jwt') return undefined
  const key_set = parseObject(jwks ?? '')
  const profile = PROFILES.find((known) => known === hash.profile)
  const wanted = SIGNING_ALGS.filter((known) => known === (alg || known) && maySignWith({ profile }, known))
  // A malformed key set, and another algorithm, have problems of their own.
  if (key_set === undefined || keySetProblem(key_set) !== undefined || wanted.length === 0) return undefined
  if (algsOf(key_set).some((known) => wanted.includes(known))) return undefined
  return `must have a key that verifies ${wanted.join(' or ')}: otherwise the client cannot authenticate`
}
