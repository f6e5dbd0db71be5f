import { codeFrom, type PartyFault } from '../core/third-parties.ts'

/** Why a directory was of no use. */
export type DirectoryProblem =
  /** No connection, or it ended before an answer. */
  | 'unreachable'
  | 'closed'
  /** No answer in time. */
  | 'silent'
  /** Its certificate is not accepted. */
  | 'certificate'
  /** It has no StartTLS, or said more before TLS began. */
  | 'starttls'
  /** It does not accept the name and password of redmint. */
  | 'credentials'
  /** Its answer is too long, or none of LDAP. */
  | 'malformed'
  /** It has more values or groups than it sent, or than are read: `detail` is the attribute. */
  | 'partial'
  /** It refused what was asked: `detail` is the code of the result (RFC 4511 §4.1.9). */
  | 'refused'

/** That a directory was of no use: nothing is known of the person. Texts of the directory are not used. */
export class DirectoryFailure extends Error {
  override readonly name = 'DirectoryFailure'
  readonly problem: DirectoryProblem
  /** A code of Node.js or of LDAP, for operators. */
  readonly detail: string

  constructor(problem: DirectoryProblem, detail = '') {
    super(detail === '' ? `directory ${problem}` : `directory ${problem}: ${detail}`)
    this.problem = problem
    this.detail = detail
  }
}

const STEPS: Readonly<Partial<Record<DirectoryProblem, string>>> = {
  credentials: 'bind',
  malformed: 'search',
  partial: 'search',
  refused: 'search',
}

/** Returns what a refusal says of a failure. */
export function faultOf({ problem, detail }: DirectoryFailure): PartyFault {
  const code = problem === 'refused' ? codeFrom(`LDAP_${detail}`) : problem === 'partial' ? problem : detail
  return { party: 'directory', step: STEPS[problem] ?? 'connection', code: codeFrom(code, problem) }
}
