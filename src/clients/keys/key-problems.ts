import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { authenticationKeyProblems } from './authentication-key-problems.ts'
import { encryptionProblems } from './encryption-problems.ts'

/**
 * Returns what is wrong with the keys in a client record: none for the assertions of the client, or none for the answers
 * that are encrypted to it.
 * @param before the record before a change; what was wrong there already is left out
 */
export function keyProblems(hash: Hash, before: Hash = {}): FieldProblem[] {
  return [...authenticationKeyProblems(hash, before), ...encryptionProblems(hash, before)]
}
