import type { Settings } from '../../src/config/settings.ts'
import { nearestName } from '../../src/core/nearest.ts'
import type { FieldProblem, Hash } from '../../src/core/record-hash.ts'
import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { type Finding, findingsOf, reportFindings } from '../findings.ts'
import { misfitProblem, scanAll, unlistedFindings } from '../misfit.ts'
import type { Report } from '../output.ts'
import { findStored, noSuchResource } from './show.ts'

const NAMES = Object.keys(RESOURCE_FIELDS)

/**
 * The command `resource lint`, for one resource or for all.
 * @throws Refusal if the one resource does not exist
 */
export async function lintResources(
  store: RecordStore,
  uri: string | undefined,
  settings: Pick<Settings, 'signing_algs'>,
): Promise<Report> {
  const resources = uri === undefined ? await scanAll(store, RESOURCE) : await readOne(store, uri)
  const findings = [...resources].flatMap(([id, hash]) => lintResource(id, hash, settings))
  findings.push(...(await unlistedFindings(store, RESOURCE, 'resource', [...resources.keys()])))
  return reportFindings('resource', 'resource', resources.size, findings)
}

async function readOne(store: RecordStore, uri: string): Promise<Map<string, Hash>> {
  const stored = await findStored(store, uri)
  if (stored === undefined) throw noSuchResource(uri)
  return new Map([[stored.id, stored.hash]])
}

/** Returns the findings about one record; undefined: the key is not a hash. */
export function lintResource(
  resource: string,
  hash: Hash | undefined,
  { signing_algs }: Pick<Settings, 'signing_algs'>,
): Finding<'resource'>[] {
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
