import { APPLICATION_FIELDS } from '../../src/applications/application-fields.ts'
import type { Calls } from '../calls.ts'
import { UsageError, withHints } from '../errors.ts'
import { clearedFields, type FlagValues, givenFields } from '../field-flags.ts'
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
  const set = givenFields(APPLICATION_FIELDS, flags)
  const unset = clearedFields(APPLICATION_FIELDS, flags)
  if (Object.keys(set).length + unset.length === 0) {
    throw new UsageError(
      'There is nothing to change: give at least one flag, see redmint application update --help.',
    )
  }
  const changing = changeSimpleNamed(calls, APPLICATION, issuer, { set, unset })
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
