import { scanAll, unlistedFindings } from '../../src/admin/operation/misfit.ts'
import { readPlain } from '../../src/admin/plain/plain-noun.ts'
import { lintResource } from '../../src/admin/resources/lint.ts'
import { RESOURCES } from '../../src/admin/resources/resources.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'

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
  const { id, hash } = await readPlain(store, RESOURCES, uri)
  return new Map([[id, hash]])
}
