import { type DefinitionOf, formatFields, parseFields, type RecordOf } from '../core/field-table.ts'
import type { Hash, Parsed } from '../core/record-hash.ts'
import { resourceId, writtenIds } from '../core/resource-uri.ts'
import type { Kind } from '../storage/records.ts'
import { namedWords } from '../storage/words.ts'
import { RESOURCE_FIELDS } from './resource-fields.ts'

/** An API that access tokens can be issued for (RFC 8707). */
export interface Resource extends RecordOf<typeof RESOURCE_FIELDS> {
  /** The URI in the key of its record; all spellings of its URI have the same id. */
  readonly id: string
  /** Whether no other resource has its scopes, and tokens for it have no others and are for nothing else. */
  readonly is_admin?: true
}

/** A resource to be written; fields that have a default are optional. */
export interface ResourceDefinition extends DefinitionOf<typeof RESOURCE_FIELDS> {}

/** Parses a resource record. One problem in any field makes the whole record malformed. */
function parseResource(hash: Hash, key: string): Parsed<Resource> {
  const id = resourceId(key)
  const parsed = parseFields(
    RESOURCE_FIELDS,
    { ...hash, resource: hash.resource || key },
    (values, fields) => {
      const { resource = '' } = values
      if (id === undefined || !writtenIds(id).includes(key)) {
        fields.fail('resource', `: its key must have the URI in its normalised form${id ? `, ${id}` : ''}`)
      } else if (resourceId(resource) !== id)
        fields.fail('resource', 'is another resource than the one in the key')
    },
  )
  return parsed.ok ? { ok: true, record: { ...parsed.record, id: id ?? key } } : parsed
}

/** Registered resources, by the normalised form of their URI. */
export const RESOURCE: Kind<Resource> = {
  name: 'resource',
  by_operators: true,
  listed: true,
  words: namedWords('resource_name'),
  format: formatResource,
  parse: parseResource,
}

/** Formats a resource for storage. */
function formatResource(resource: ResourceDefinition): Hash {
  return formatFields(RESOURCE_FIELDS, resource)
}
