import { ENCRYPTION_ALGS } from '../../core/encryption-algs.ts'
import { parseObject } from '../../core/json.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { readEncryptionKeys } from '../../keys/encryption-key.ts'
import { ENCRYPTED_ANSWERS } from '../record/signed-answer-fields.ts'

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
