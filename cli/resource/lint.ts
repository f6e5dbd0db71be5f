import { readAll } from '../../src/admin/misfit.ts'
import { lintResource } from '../../src/admin/resources/lint.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { RESOURCE } from '../../src/resources/resource-record.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'
import { findStored, noSuchResource } from './show.ts'

/**
 * The command `resource lint`, for one resource or for all.
 * @throws Refusal if the one resource does not exist
 */
export async function lintResources(
  store: RecordStore,
  uri: string | undefined,
  settings: Pick<Settings, 'signing_algs'>,
): Promise<Report> {
  const resources = uri === undefined ? await readAll(store, RESOURCE) : await readOne(store, uri)
  const findings = [...resources].flatMap(([id, hash]) => lintResource(id, hash, settings))
  return reportFindings('resource', 'resource', resources.size, findings)
}

async function readOne(store: RecordStore, uri: string): Promise<Map<string, Hash>> {
  const stored = await findStored(store, uri)
  if (stored === undefined) throw noSuchResource(uri)
  return new Map([[stored.id, stored.hash]])
}
