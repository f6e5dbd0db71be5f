import { parseObject } from '../../src/core/json.ts'
import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import { DETAIL_TYPE_FIELDS } from '../../src/details/detail-type-fields.ts'
import type { Calls } from '../calls.ts'
import { type FindFlag, noneText } from '../command.ts'
import { EXIT } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { shownRecord } from '../from-answer.ts'
import { listed, pairs, type Report, withIndexing } from '../output.ts'
import { allSimple, DETAIL_TYPE, type SimpleRecord, simpleNamed } from '../simple.ts'

/** The JSON of a type of details in reports. */
type Description =
  | (Readonly<Record<string, unknown>> & { detail_type: string; state: 'active' | 'disabled'; text: string })
  | { detail_type: string; state: 'malformed'; problems: FieldProblem[]; fields: Hash }

/** The command `detail-type list`. */
export async function listDetailTypes(calls: Calls, flags: FindFlag): Promise<Report> {
  const { records, of, indexing } = await allSimple(calls, DETAIL_TYPE, flags)
  const detail_types = records.map(describe)
  const rows = detail_types.map((one) => [
    one.detail_type,
    one.state === 'malformed' ? '' : firstSentence(one.text),
    one.state,
  ])
  const none = noneText(flags, 'There are no types of details yet: see redmint detail-type add --help.')
  const report = {
    text: listed(['TYPE', 'TEXT', 'STATE'], rows, { none, noun: 'type', of }),
    json: { detail_types },
  }
  return withIndexing(report, 'detail-type', indexing)
}

/** The command `detail-type show`. @throws Refusal if the type does not exist */
export async function showDetailType(calls: Calls, type: string): Promise<Report> {
  return formatDetailType(undefined, await simpleNamed(calls, DETAIL_TYPE, type))
}

/** Reports a type of details, below a sentence if there is one. */
export function formatDetailType(sentence: string | undefined, record: SimpleRecord): Report {
  const type = describe(record)
  const lines = sentence === undefined ? [] : [sentence, '']
  if (type.state !== 'malformed') {
    const rows = fieldRows(DETAIL_TYPE_FIELDS, type, { disabled: ['state', type.state] })
    return { text: [...lines, pairs(rows)].join('\n'), json: type }
  }
  const text = [
    'This record is malformed, so nobody gets what it describes:',
    ...type.problems.map((problem) => `  ${describeProblem(problem)}`),
    '',
    pairs(Object.entries(type.fields)),
  ]
  return { text: [...lines, ...text].join('\n'), json: type, exit: EXIT.refused }
}

const firstSentence = (text: string) => {
  const sentences = parseObject(text) ?? {}
  return String(sentences.en ?? Object.values(sentences)[0] ?? '')
}

function describe({ id, hash, problems }: SimpleRecord): Description {
  const shown = shownRecord(DETAIL_TYPE_FIELDS, { detail_type: id, ...hash }, problems)
  if (!shown.ok) return { detail_type: id, state: 'malformed', problems: shown.problems, fields: hash }
  const { disabled, ...type } = shown.record
  return { ...type, state: disabled ? 'disabled' : 'active' }
}
