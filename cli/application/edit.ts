import { APPLICATION_FIELDS } from '../../src/applications/application-fields.ts'
import type { Calls } from '../calls.ts'
import { withHints } from '../errors.ts'
import { changedFields, type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import { APPLICATION, addSimple, changeSimpleNamed, removeSimpleNamed } from '../simple.ts'
import { formatApplication, HINTS } from './show.ts'

/**
 * The command `application add`.
 * @throws Refusal if the issuer is none, it exists, or its record would be malformed
 */
export async function addApplication(calls: Calls, issuer: string, flags: FlagValues): Promise<Report> {
  const adding = addSimple(calls, APPLICATION, issuer, givenFields(APPLICATION_FIELDS, flags))
  return formatApplication('The other server is registered.', await withHints(HINTS, adding))
}

/**
 * The command `application update`: changes the fields that the flags name.
 * @throws Refusal if there is none, or its record would be malformed; UsageError
 */
export async function updateApplication(calls: Calls, issuer: string, flags: FlagValues): Promise<Report> {
  const change = changedFields(APPLICATION_FIELDS, flags, 'application update')
  const changing = changeSimpleNamed(calls, APPLICATION, issuer, change)
  return formatApplication('The other server is changed.', await withHints(HINTS, changing))
}

/** The command `application remove`. @throws Refusal if there is none */
export async function removeApplication(calls: Calls, issuer: string): Promise<Report> {
  const id = await withHints(HINTS, removeSimpleNamed(calls, APPLICATION, issuer))
  return {
    text: 'The other server is removed: there are no assertions for it any more. Those that there are end within five minutes.',
    json: { application: id, removed: true },
  }
}
