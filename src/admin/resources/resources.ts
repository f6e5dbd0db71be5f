import type { Hash } from '../../core/record-hash.ts'
import { resourceId, writtenIds } from '../../core/resource-uri.ts'
import { RESOURCE_FIELDS } from '../../resources/resource-fields.ts'
import { RESOURCE } from '../../resources/resource-record.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { invalidField } from '../operation/problem.ts'
import { simpleOperations } from '../simple/simple-operations.ts'
import type { SimpleType } from '../simple/simple-type.ts'
import { lintResource } from './lint.ts'
import { lintActingClients } from './lint-acting.ts'

/** Resources, as operators see and set them. */
export const RESOURCES: SimpleType<typeof RESOURCE_FIELDS, 'resource'> = {
  name: 'resource',
  kind: RESOURCE,
  table: RESOURCE_FIELDS,
  id: 'resource',
  read_only: ['managed_by'],
  idOf(uri) {
    const id = resourceId(uri)
    if (id !== undefined) return id
    throw invalidField(
      'resource',
      'resource must be an absolute URI without a fragment, such as https://api.example.com',
    )
  },
  find: findResource,
  base: () => ({ scopes: '' }),
  rights: [],
  written: (resource) => ({ event: 'resource_changed', resource }),
  removed: (resource) => ({ event: 'resource_removed', resource }),
}

/** Finds the record of a resource, in any spelling of its URI. @throws StorageUnavailable */
export async function findResource(
  { records }: RecordStore,
  uri: string,
): Promise<{ id: string; hash: Hash } | undefined> {
  const normalised = resourceId(uri)
  const ids = normalised === undefined ? [uri] : [...writtenIds(normalised), uri]
  for (const id of ids) {
    const hash = (await records.read(RESOURCE, id))?.hash
    if (hash !== undefined) return { id, hash }
  }
  return undefined
}

/** What operators do with resources. */
export const RESOURCE_OPERATIONS = simpleOperations(RESOURCES, {
  path: '/resources',
  article: 'a resource',
  read: 'redmint:apis:read',
  write: 'redmint:apis:write',
  lint: lintResource,
  lintBeside: lintActingClients,
})
