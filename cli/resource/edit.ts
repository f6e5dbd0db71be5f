import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import type { Calls } from '../calls.ts'
import { type Hints, withHints } from '../errors.ts'
import { changedFields, type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import { addSimple, changeSimpleNamed, RESOURCE, removeSimpleNamed, type SimpleChange } from '../simple.ts'
import { formatResource } from './show.ts'

const HINTS: Hints = {
  exists: ': use redmint resource update to change it.',
  stale: ': repeat the command.',
}

/**
 * The command `resource add`.
 * @throws Refusal if the URI cannot be one of a resource, it exists, or its record would be malformed
 */
export async function addResource(calls: Calls, uri: string, flags: FlagValues): Promise<Report> {
  const adding = addSimple(calls, RESOURCE, uri, givenFields(RESOURCE_FIELDS, flags))
  return formatResource('The resource is registered.', await withHints(HINTS, adding))
}

/**
 * The command `resource update`: changes the fields that the flags name.
 * @throws Refusal if the resource does not exist or its record would be malformed; UsageError
 */
export async function updateResource(calls: Calls, uri: string, flags: FlagValues): Promise<Report> {
  const change = changedFields(RESOURCE_FIELDS, flags, 'resource update')
  return changeResource(calls, uri, change, 'The resource is changed.')
}

/** The commands `resource disable` and `resource enable`. @throws Refusal if the resource does not exist */
export async function setDisabled(calls: Calls, uri: string, disabled: boolean): Promise<Report> {
  return disabled
    ? changeResource(
        calls,
        uri,
        { set: { disabled: 'true' } },
        'The resource is disabled: it gets no tokens, and introspection reports those that it has as inactive. An API that verifies JWTs by itself accepts them until they expire.',
      )
    : changeResource(calls, uri, { set: {}, unset: ['disabled'] }, 'The resource is enabled.')
}

/** The command `resource remove`. @throws Refusal if the resource does not exist */
export async function removeResource(calls: Calls, uri: string): Promise<Report> {
  const id = await withHints(HINTS, removeSimpleNamed(calls, RESOURCE, uri))
  return {
    text: 'The resource is removed: it gets no tokens, and introspection reports those that it has as inactive. An API that verifies JWTs by itself accepts them until they expire.',
    json: { resource: id, removed: true },
  }
}

async function changeResource(
  calls: Calls,
  uri: string,
  change: SimpleChange,
  sentence: string,
): Promise<Report> {
  return formatResource(sentence, await withHints(HINTS, changeSimpleNamed(calls, RESOURCE, uri, change)))
}
