import type { Settings } from '../../config/settings.ts'
import { nearestName } from '../../core/nearest.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { RESOURCE_FIELDS } from '../../resources/resource-fields.ts'
import { RESOURCE } from '../../resources/resource-record.ts'
import { findingsOf, type RecordFinding } from '../operation/findings.ts'
import { misfitProblem } from '../operation/misfit.ts'

const NAMES = Object.keys(RESOURCE_FIELDS)

/** Returns the findings about one record; undefined: the key is not a hash. */
export function lintResource(
  resource: string,
  hash: Hash | undefined,
  { signing_algs }: Pick<Settings, 'signing_algs'>,
): RecordFinding<'resource'>[] {
  if (hash === undefined) return findingsOf({ resource }, [misfitProblem('resource')], [])
  const parsed = RESOURCE.parse(hash, resource)
  if (!parsed.ok) return findingsOf({ resource }, parsed.problems, [])
  const { scopes, access_token_signed_response_alg: alg } = parsed.record
  const warnings: FieldProblem[] = unknownFields(hash)
  if (scopes.length === 0) {
    const problem = 'is empty: every client gets tokens for it, so the API must check more than the audience'
    warnings.push({ field: 'scopes', problem })
  }
  if (alg !== undefined && !signing_algs.includes(alg)) {
    const problem = `is ${alg}, which SIGNING_ALGS here lacks: requests for it get server_error`
    warnings.push({ field: 'access_token_signed_response_alg', problem })
  }
  return findingsOf({ resource }, [], warnings)
}

function unknownFields(hash: Hash): FieldProblem[] {
  const unknown = Object.keys(hash).filter((field) => !NAMES.includes(field))
  return unknown.map((field) => {
    const nearest = nearestName(field, NAMES)
    const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`
    return { field, problem: `is not a known field${hint}` }
  })
}
