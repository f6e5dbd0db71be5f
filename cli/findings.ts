import type { ShownFinding } from '../src/admin/operation/findings.ts'
import { count } from '../src/core/count.ts'
import { describeProblem, type FieldProblem } from '../src/core/record-hash.ts'
import type { Calls } from './calls.ts'
import { EXIT, type Hints, withHints } from './errors.ts'
import { problemOf } from './from-answer.ts'
import { type Report, table } from './output.ts'

/** The fields with the ids of records that are checked, by their nouns. */
const ID_OF = {
  client: 'client_id',
  user: 'username',
  issuer: 'issuer',
  application: 'application',
  provider: 'provider',
  resource: 'resource',
  detail_type: 'detail_type',
} as const

type RecordType = keyof typeof ID_OF

/** A page of findings; each has the id of its record, too. */
interface FindingsPage {
  readonly checked: number
  readonly items: readonly (ShownFinding & Readonly<Record<string, string>>)[]
  readonly next?: string
}

/** Returns the findings about records of a type, and how many were checked. @param name only this one @throws AdminError */
export async function findingsOf({ call }: Calls, noun: RecordType, name?: string) {
  const id = ID_OF[noun]
  const query = name === undefined ? {} : { [id]: name }
  let checked = 0
  let cursor: string | undefined
  const findings: (FieldProblem & { level: ShownFinding['level']; of: string })[] = []
  do {
    const page: FindingsPage = await call(`lint_${noun}s`, { query, cursor, limit: 200 })
    checked += page.checked
    for (const item of page.items)
      findings.push({ level: item.level, of: item[id] ?? '', ...problemOf(item.field, item.detail) })
    cursor = page.next
  } while (cursor !== undefined)
  return { id, checked, findings }
}

/** The commands `client lint`, `user lint` and so on, for one record or for all; with errors the exit code is 1. */
export async function lint(
  calls: Calls,
  noun: RecordType,
  name: string | undefined,
  hints: Hints = {},
): Promise<Report> {
  const { id, checked, findings } = await withHints(hints, findingsOf(calls, noun, name))
  const errors = findings.filter(({ level }) => level === 'error').length
  const warnings = findings.length - errors
  const rows = sentences(findings, noun)
  const summary = `${count(checked, noun)}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`
  const head = ['LEVEL', id.toUpperCase(), 'FINDING']
  return {
    text: rows.length === 0 ? summary : `${table(head, rows)}\n\n${summary}`,
    json: {
      [`${noun}s`]: checked,
      ...{ errors, warnings },
      findings: findings.map(({ of, level, ...problem }) => ({ level, [id]: of, ...problem })),
    },
    ...(errors === 0 ? {} : { exit: EXIT.refused }),
  }
}

/** Rows of a table: what is said of several records is one line with all of them. */
function sentences(
  findings: readonly (FieldProblem & { readonly level: string; readonly of: string })[],
  noun: RecordType,
): string[][] {
  const said = new Map<string, (typeof findings)[number][]>()
  for (const finding of findings) {
    const sentence = `${finding.level} ${describeProblem(finding)}`
    const same = said.get(sentence)
    if (same === undefined) said.set(sentence, [finding])
    else same.push(finding)
  }
  return [...said.values()].map((same) => {
    const ids = [...new Set(same.map(({ of }) => of))]
    const [first] = same
    const text = first === undefined ? '' : describeProblem(first)
    const level = first?.level ?? ''
    return ids.length === 1
      ? [level, ids[0] ?? '', text]
      : [level, count(ids.length, noun), `${text}: ${ids.join(', ')}`]
  })
}
