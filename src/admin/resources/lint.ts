import type { Settings } from '../../config/settings.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { RESOURCE_FIELDS } from '../../resources/resource-fields.ts'
import { RESOURCE } from '../../resources/resource-record.ts'
import { findingsOf, type RecordFinding, unknownFields } from '../operation/findings.ts'
import { misfitProblem } from '../operation/misfit.ts'

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
  const warnings: FieldProblem[] = unknownFields(hash, RESOURCE_FIELDS)
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
