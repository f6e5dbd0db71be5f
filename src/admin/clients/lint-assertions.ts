import type { Client } from '../../clients/record/client-record.ts'
import { PREVIEWS } from '../../core/admin-scopes.ts'
import type { FieldProblem } from '../../core/record-hash.ts'
import { isEmptyCondition } from '../issuers/lint.ts'

/** Returns the warnings about patterns that trust more than one workload. */
export function assertionWarnings({
  assertion_issuer,
  assertion_subject: subject,
  assertion_claims = [],
  allowed_scopes,
}: Client): FieldProblem[] {
  const field = 'assertion_subject'
  if (assertion_issuer === undefined) {
    const unused = [
      ...(subject === undefined ? [] : [field]),
      ...(assertion_claims.length > 0 ? ['assertion_claims'] : []),
    ]
    return unused.map((name) => ({
      field: name,
      problem: 'is not used, because there is no assertion_issuer',
    }))
  }
  const empty = assertion_claims.filter(isEmptyCondition)
  return [
    ...empty.map((text) => ({ field: 'assertion_claims', problem: `: "${text}" is met by every value` })),
    ...(subject !== undefined && isEmptyCondition(subject)
      ? [{ field, problem: 'is met by every assertion of the issuer: name the workload' }]
      : []),
    ...(/^(repo|project_path):\*/.test(subject ?? '')
      ? [{ field, problem: 'names no owner: everybody can have such a repository' }]
      : []),
    ...(/^repo:.*:(\*+|pull_request)$/.test(subject ?? '') && !isForPreviews(allowed_scopes)
      ? [
          {
            field,
            problem:
              'also fits pull requests, whose jobs run code that others propose: name a ref or an environment',
          },
        ]
      : []),
    ...(/^system:serviceaccount:\*|^system:serviceaccount:[^:]*:\*+$/.test(subject ?? '')
      ? [
          {
            field,
            problem:
              'fits several service accounts: everybody who may run pods with one of them can act as this client',
          },
        ]
      : []),
  ]
}

// What others propose may be seen: a preview is fenced from what it is a preview of.
const isForPreviews = (scopes: readonly string[]) =>
  scopes.every((name) => name === PREVIEWS) && scopes.length > 0
