import { APPLICATION_FIELDS } from '../../src/applications/application-fields.ts'
import type { Application } from '../../src/applications/application-record.ts'
import { describeProblem, type FieldProblem } from '../../src/core/record-hash.ts'
import type { Calls } from '../calls.ts'
import { type FindFlag, noneText } from '../command.ts'
import { EXIT, type Hints, withHints } from '../errors.ts'
import { fieldRows } from '../field-rows.ts'
import { shownRecord } from '../from-answer.ts'
import { listed, pairs, type Report, withIndexing } from '../output.ts'
import { APPLICATION, allSimple, type SimpleRecord, simpleNamed } from '../simple.ts'

/** The JSON of another server in reports. */
type ApplicationDescription =
  | (Omit<Application, 'disabled'> & { state: 'active' | 'disabled' })
  | { application: string; state: 'malformed'; problems: FieldProblem[] }

/** What to do if the operations of another server are refused. */
export const HINTS: Hints = {
  exists: ': use redmint application update to change it.',
  not_found: ': redmint application list shows all.',
  stale: ': repeat the command.',
}

/** The command `application list`. */
export async function listApplications(calls: Calls, flags: FindFlag): Promise<Report> {
  const { records, of, indexing } = await allSimple(calls, APPLICATION, flags)
  const applications = records.map(describe)
  const rows = applications.map((one) =>
    one.state === 'malformed'
      ? [one.application, '', '', 'malformed']
      : [one.application, one.clients.join(' '), one.scopes.join(' '), one.state],
  )
  const none = noneText(flags, 'There are no other servers yet: see redmint application add --help.')
  const head = ['APPLICATION', 'CLIENTS', 'SCOPES', 'STATE']
  const report = {
    text: listed(head, rows, { none, noun: 'other server', of }),
    json: { applications },
  }
  return withIndexing(report, 'application', indexing)
}

/** The command `application show`. @throws Refusal if there is none */
export async function showApplication(calls: Calls, issuer: string): Promise<Report> {
  return formatApplication(undefined, await withHints(HINTS, simpleNamed(calls, APPLICATION, issuer)))
}

/** Reports another server, below a sentence if there is one. */
export function formatApplication(sentence: string | undefined, record: SimpleRecord): Report {
  const application = describe(record)
  const lines = sentence === undefined ? [] : [sentence, '']
  if (application.state !== 'malformed') {
    const rows = fieldRows(APPLICATION_FIELDS, application, { disabled: ['state', application.state] })
    return { text: [...lines, pairs(rows)].join('\n'), json: application }
  }
  const problems = application.problems.map((problem) => `  ${describeProblem(problem)}`)
  const text = ['This record is malformed, so there are no assertions for this server:', ...problems]
  return { text: [...lines, ...text].join('\n'), json: application, exit: EXIT.refused }
}

function describe({ id: application, hash, problems }: SimpleRecord): ApplicationDescription {
  const shown = shownRecord(APPLICATION_FIELDS, { application, ...hash }, problems)
  if (!shown.ok) return { application, state: 'malformed', problems: shown.problems }
  const { disabled, ...fields } = shown.record
  return { ...fields, state: disabled ? 'disabled' : 'active' }
}
