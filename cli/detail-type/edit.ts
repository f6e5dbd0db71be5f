import { readFile } from 'node:fs/promises'
import { DETAIL_TYPE_FIELDS } from '../../src/details/detail-type-fields.ts'
import type { Calls } from '../calls.ts'
import { type Hints, nothingToChange, Refusal, UsageError, withHints } from '../errors.ts'
import { type FlagValues, givenFields } from '../field-flags.ts'
import type { Report } from '../output.ts'
import { addSimple, changeSimpleNamed, DETAIL_TYPE, removeSimpleNamed, type SimpleChange } from '../simple.ts'
import { formatDetailType } from './show.ts'

/** The flags that set fields. */
export type DetailTypeFlags = FlagValues & { readonly schema?: string; readonly text?: readonly string[] }

const HINTS: Hints = {
  exists: ': use redmint detail-type set to change it.',
  stale: ': repeat the command.',
}

/**
 * The command `detail-type add`.
 * @throws Refusal if the type exists, or its record would be malformed; UsageError
 */
export async function addDetailType(calls: Calls, type: string, flags: DetailTypeFlags): Promise<Report> {
  if (flags.schema === undefined || flags.text === undefined)
    throw new UsageError('Give --schema FILE and --text LANGUAGE=SENTENCE.')
  const adding = addSimple(calls, DETAIL_TYPE, type, await fieldsOf(flags))
  return formatDetailType('The type of details is added.', await withHints(HINTS, adding))
}

/**
 * The command `detail-type set`: changes the fields that the flags name.
 * @throws Refusal if the type does not exist or its record would be malformed; UsageError
 */
export async function changeDetailType(calls: Calls, type: string, flags: DetailTypeFlags): Promise<Report> {
  const set = await fieldsOf(flags)
  if (Object.keys(set).length === 0) throw nothingToChange('detail-type set')
  return change(calls, type, { set }, 'The type of details is changed.')
}

/** The commands `detail-type disable` and `detail-type enable`. @throws Refusal if the type does not exist */
export async function setDisabled(calls: Calls, type: string, disabled: boolean): Promise<Report> {
  return disabled
    ? change(
        calls,
        type,
        { set: { disabled: 'true' } },
        'The type of details is disabled: nobody gets it, and introspection reports tokens without it. An API that verifies JWTs by itself accepts what they say until they expire.',
      )
    : change(calls, type, { set: {}, unset: ['disabled'] }, 'The type of details is enabled.')
}

/** The command `detail-type remove`. @throws Refusal if the type does not exist */
export async function removeDetailType(calls: Calls, type: string): Promise<Report> {
  const id = await withHints(HINTS, removeSimpleNamed(calls, DETAIL_TYPE, type))
  return {
    text: 'The type of details is removed: nobody gets it, and introspection reports tokens without it. An API that verifies JWTs by itself accepts what they say until they expire.',
    json: { detail_type: id, removed: true },
  }
}

async function change(calls: Calls, type: string, wanted: SimpleChange, sentence: string): Promise<Report> {
  return formatDetailType(
    sentence,
    await withHints(HINTS, changeSimpleNamed(calls, DETAIL_TYPE, type, wanted)),
  )
}

/** @throws Refusal if the file cannot be read; UsageError */
async function fieldsOf({ schema: file, text, ...flags }: DetailTypeFlags): Promise<Record<string, string>> {
  return {
    ...givenFields(DETAIL_TYPE_FIELDS, flags),
    ...(file !== undefined && { schema: await schemaIn(file) }),
    ...(text !== undefined && { text: JSON.stringify(Object.fromEntries(text.map(sentenceOf))) }),
  }
}

async function schemaIn(file: string): Promise<string> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    throw new Refusal(`The file ${file} cannot be read.`)
  }
  try {
    // In one line, as storage shows it.
    return JSON.stringify(JSON.parse(text))
  } catch {
    throw new Refusal(`The file ${file} is not JSON.`)
  }
}

function sentenceOf(given: string): [language: string, sentence: string] {
  const equals = given.indexOf('=')
  if (equals < 1) throw new UsageError('Write --text as LANGUAGE=SENTENCE, such as en="Pay {amount}".')
  return [given.slice(0, equals), given.slice(equals + 1)]
}
