import { describeProblem, type FieldProblem, type Hash } from '../../src/core/record-hash.ts'
import { RESOURCE_FIELDS } from '../../src/resources/resource-fields.ts'
import type { Resource } from '../../src/resources/resource-record.ts'
import type { Calls } from '../calls.ts'
import { type FindFlag, noneText } from '../command.ts'
import { EXIT } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { shownRecord } from '../from-answer.ts'
import { listed, pairs, type Report, withIndexing } from '../output.ts'
import { allSimple, RESOURCE, type SimpleRecord, simpleNamed } from '../simple.ts'

/** The JSON of a resource in reports. */
type ResourceDescription =
  | (Omit<Resource, 'id' | 'disabled'> & { state: 'active' | 'disabled' })
  | { resource: string; state: 'malformed'; problems: FieldProblem[]; fields: Hash }

/** The command `resource list`. */
export async function listResources(calls: Calls, flags: FindFlag): Promise<Report> {
  const { records, of, indexing } = await allSimple(calls, RESOURCE, flags)
  const resources = records.map(describe)
  const rows = resources.map((one) =>
    one.state === 'malformed'
      ? [one.resource, '', '', 'malformed']
      : [one.resource, one.resource_name ?? '', one.scopes.join(' ') || 'any', one.state],
  )
  const none = noneText(flags, 'There are no resources yet: see redmint resource add --help.')
  const report = {
    text: listed(['RESOURCE', 'NAME', 'SCOPES', 'STATE'], rows, { none, noun: 'resource', of }),
    json: { resources },
  }
  return withIndexing(report, 'resource', indexing)
}

/** The command `resource show`. @throws Refusal if the resource does not exist */
export async function showResource(calls: Calls, uri: string): Promise<Report> {
  return formatResource(undefined, await simpleNamed(calls, RESOURCE, uri))
}

/** Reports a resource, below a sentence if there is one. */
export function formatResource(sentence: string | undefined, record: SimpleRecord): Report {
  const resource = describe(record)
  const lines = sentence === undefined ? [] : [sentence, '']
  if (resource.state !== 'malformed') {
    const rows = fieldRows(RESOURCE_FIELDS, resource, { disabled: ['state', resource.state] })
    return { text: [...lines, pairs(rows)].join('\n'), json: resource }
  }
  const text = [
    'This record is malformed, so it gets no tokens:',
    ...resource.problems.map((problem) => `  ${describeProblem(problem)}`),
    '',
    pairs(Object.entries(resource.fields)),
  ]
  return { text: [...lines, ...text].join('\n'), json: resource, exit: EXIT.refused }
}

function describe({ id, hash, problems }: SimpleRecord): ResourceDescription {
  const shown = shownRecord(RESOURCE_FIELDS, { resource: id, ...hash }, problems)
  if (!shown.ok) return { resource: id, state: 'malformed', problems: shown.problems, fields: hash }
  const { disabled, ...resource } = shown.record
  return { ...resource, state: disabled ? 'disabled' : 'active' }
}
