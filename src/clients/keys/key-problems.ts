import { ENCRYPTION_ALGS, SIGNING_ALGS } from '../../core/algs.ts'
import { parseObject } from '../../core/json.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { readEncryptionKeys } from '../../keys/encryption-key.ts'
import { algsOf } from '../../keys/key-set.ts'
import { keySetProblem } from '../record/key-fields.ts'
import { maySignWith, PROFILES, withProfile } from '../record/profiles.ts'
import { ENCRYPTED_ANSWERS } from '../record/signed-answer-fields.ts'

/**
 * Returns what is wrong with the keys in a client record: none for the assertions of the client, or none for the answers
 * that are encrypted to it.
 * @param before the record before a change; what was wrong there already is left out
 */
export function keyProblems(hash: Hash, before: Hash = {}): FieldProblem[] {
  return [...authenticationKeyProblems(hash, before), ...encryptionProblems(hash, before)]
}

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

/**
 * Returns the fields of a client record that demand an encryption for which the record has no key: the client would get
 * errors instead of answers. What is at its jwks_uri is not known.
 * @param before the record before a change; what was wrong there already is left out
 */
export function encryptionProblems(hash: Hash, before: Hash = {}): FieldProblem[] {
  const known = new Set(fieldsWithoutKey(before))
  return fieldsWithoutKey(hash)
    .filter((field) => !known.has(field))
    .map((field) => ({
      field,
      problem: `is ${hash[field]}, and ${hash.jwks ? 'jwks has no key' : 'there is neither jwks nor jwks_uri with a key'} for it: add one with "use" "enc"`,
    }))
}

function fieldsWithoutKey({ jwks = '', jwks_uri, ...hash }: Hash): string[] {
  // Another algorithm is malformed.
  const fields = ENCRYPTED_ANSWERS.map((what) => `${what}_encrypted_response_alg`).filter((field) =>
    ENCRYPTION_ALGS.some((alg) => alg === hash[field]),
  )
  if (jwks_uri || fields.length === 0) return []
  const usable = readEncryptionKeys(parseObject(jwks) ?? {})
  return fields.filter((field) => !usable.some(({ alg }) => alg === hash[field]))
}
