import { applyChange } from '../../src/admin/apply-change.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import { RESOURCE, resourceId } from '../../src/resources/resource-record.ts'
import type { Change } from '../../src/storage/records.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { assertWellFormed, Refusal, UsageError } from '../errors.ts'
import { clearedFields, type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import { findStored, formatResource, noSuchResource } from './show.ts'

/**
 * The command `resource add`.
 * @throws Refusal if the URI cannot be one of a resource, it exists, or its record would be malformed
 */
export async function addResource(store: RecordStore, uri: string, flags: FlagValues): Promise<Report> {
  const id = resourceId(uri)
  if (id === undefined) {
    throw new Refusal(
      'A resource must be an absolute URI without a fragment, such as https://api.example.com.',
    )
  }
  const hash = { scopes: '', ...givenFields(RESOURCE_FIELDS, flags), resource: uri }
  assertWellFormed(RESOURCE.parse(hash, id))
  const exists = new Refusal(`The resource "${id}" exists already: use redmint resource update to change it.`)
  // An operator may have written the record by hand under the URI with a slash.
  if ((await findStored(store, uri)) !== undefined) throw exists
  if ((await store.records.create({ kind: RESOURCE, id, hash })) === 'exists') throw exists
  return formatResource('The resource is registered.', id, hash)
}

/**
 * The command `resource update`: changes the fields that the flags name.
 * @throws Refusal if the resource does not exist or its record would be malformed; UsageError
 */
export async function updateResource(store: RecordStore, uri: string, flags: FlagValues): Promise<Report> {
  const set = givenFields(RESOURCE_FIELDS, flags)
  const unset = clearedFields(RESOURCE_FIELDS, flags)
  if (Object.keys(set).length + unset.length === 0) {
    throw new UsageError(
      'There is nothing to change: give at least one flag, see redmint resource update --help.',
    )
  }
  return changeResource(store, uri, { set, unset }, 'The resource is changed.')
}

/** The commands `resource disable` and `resource enable`. @throws Refusal if the resource does not exist */
export async function setDisabled(store: RecordStore, uri: string, disabled: boolean): Promise<Report> {
  return disabled
    ? changeResource(
        store,
        uri,
        { set: { disabled: 'true' } },
        'The resource is disabled: it gets no tokens, and introspection reports those that it has as inactive. An API that verifies JWTs by itself accepts them until they expire.',
      )
    : changeResource(store, uri, { set: {}, unset: ['disabled'] }, 'The resource is enabled.')
}

/**
 * The command `resource remove`.
 * @param expected a resource whose fields have other values counts as missing
 * @throws Refusal if the resource does not exist
 */
export async function removeResource(store: RecordStore, uri: string, expected: Hash = {}): Promise<Report> {
  const stored = await findStored(store, uri)
  const disabled = { set: { disabled: 'true' }, expected }
  if (stored === undefined || (await store.records.change(RESOURCE, stored.id, disabled)) === 'missing') {
    throw noSuchResource(uri)
  }
  await store.records.take(RESOURCE, stored.id)
  return {
    text: 'The resource is removed: it gets no tokens, and introspection reports those that it has as inactive. An API that verifies JWTs by itself accepts them until they expire.',
    json: { resource: stored.id, removed: true },
  }
}

async function changeResource(
  store: RecordStore,
  uri: string,
  change: Change,
  sentence: string,
): Promise<Report> {
  const stored = await findStored(store, uri)
  if (stored === undefined) throw noSuchResource(uri)
  const hash: Hash = applyChange(stored.hash, change)
  assertWellFormed(RESOURCE.parse(hash, stored.id))
  if ((await store.records.change(RESOURCE, stored.id, change)) === 'missing') throw noSuchResource(uri)
  return formatResource(sentence, stored.id, hash)
}
