import { APPLICATION_FIELDS } from '../../applications/application-fields.ts'
import { type Application, parseApplication } from '../../applications/application-record.ts'
import type { Settings } from '../../config/settings.ts'
import type { FieldProblem, Hash } from '../../core/record-hash.ts'
import { findingsOf, type RecordFinding, unknownFields } from '../operation/findings.ts'
import { misfitProblem } from '../operation/misfit.ts'

/** Returns the findings about one record; undefined: the key is not a hash. */
export function lintApplication(
  application: string,
  hash: Hash | undefined,
  settings: Pick<Settings, 'issuer' | 'signing_algs'>,
): RecordFinding<'application'>[] {
  if (hash === undefined) return findingsOf({ application }, [misfitProblem('application')], [])
  const parsed = parseApplication(hash, application)
  if (!parsed.ok) return findingsOf({ application }, parsed.problems, [])
  return findingsOf(
    { application },
    [],
    [...unknownFields(hash, APPLICATION_FIELDS), ...warnings(parsed.record, settings)],
  )
}

function warnings(
  { application, clients, resources, assertion_signing_alg: alg }: Application,
  { issuer, signing_algs }: Pick<Settings, 'issuer' | 'signing_algs'>,
): FieldProblem[] {
  const found: FieldProblem[] = []
  if (application === issuer)
    found.push({ field: 'application', problem: 'is this server, which makes no assertions for itself' })
  if (clients.length === 0)
    found.push({ field: 'clients', problem: 'is empty: no client gets assertions for it' })
  if (resources.length === 0)
    found.push({ field: 'resources', problem: 'is empty: there are no assertions for it' })
  if (alg !== undefined && !signing_algs.includes(alg))
    found.push({
      field: 'assertion_signing_alg',
      problem: `is ${alg}, which SIGNING_ALGS here lacks: requests for it get server_error`,
    })
  return found
}
