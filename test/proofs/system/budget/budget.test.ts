// What each operation may cost, counted: the same on every machine. The budgets are in budgets.md.
import { writeFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../../src/config/environment.ts'
import { type Figures, measure } from '../../../support/budget/measure.ts'
import { OPERATIONS, type Operation, SIGNER } from '../../../support/budget/operations.ts'
import { CONNECTIONS, startCounted } from '../../../support/budget/service.ts'
import { readText, tableRows } from '../../../support/markdown.ts'

const FILE = 'test/support/budget/budgets.md'
const RENEW = 'UPDATE_BUDGETS=1 npx tap test/proofs/system/budget/budget.test.ts'
const renews = Boolean(process.env.UPDATE_BUDGETS)
/** A figure this much below its budget must lower the budget. */
const LOWER_AT = 0.9
/** Texts such as the ids of requests have no fixed length. */
const OF_TEXT = 1.02
/** Signatures that other threads verify are ready in different turns. Without gathering there are 16 writes. */
const OF_TURNS = 4

interface Column {
  title: string
  figure: keyof Figures
  /** How much more than the budget is allowed: the factor. */
  slack?: number
}

const COLUMNS: readonly Column[] = [
  { title: 'commands', figure: 'commands' },
  { title: 'bytes to Redis', figure: 'bytes_sent', slack: OF_TEXT },
  { title: 'bytes from Redis', figure: 'bytes_received', slack: OF_TEXT },
  { title: 'calls in Redis', figure: 'calls' },
  { title: `writes of ${CONNECTIONS}`, figure: 'writes_at_once', slack: OF_TURNS },
  { title: 'log lines', figure: 'log_lines' },
  { title: 'log bytes', figure: 'log_bytes', slack: OF_TEXT },
  { title: 'headers', figure: 'headers' },
  { title: 'header bytes', figure: 'header_bytes', slack: OF_TEXT },
]

/** The budget of an operation, in the order of COLUMNS; undefined where nothing is measured. */
type Budget = readonly (number | undefined)[]

const nameOf = ({ name, format }: Operation) => `${name}, ${format}`
const page = await readText(FILE)
const budgets = new Map(
  tableRows(page)
    .slice(1)
    .map(([name = '', ...cells]): [string, Budget] => [
      name,
      cells.map((cell) => (cell === '' ? undefined : Number(cell))),
    ]),
)
const found = new Map<string, Figures>()

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`the cost of each operation, ${format}`, async (t) => {
    const service = await startCounted(t, format, [SIGNER])
    for (const operation of OPERATIONS.filter((one) => one.format === format)) {
      const name = nameOf(operation)
      const budget = budgets.get(name) ?? []
      const isWithin = (figures: Figures) =>
        COLUMNS.every((column, i) => !isOver(column, figures[column.figure], budget[i] ?? 0))
      const figures = await measure(service, operation, isWithin)
      found.set(name, figures)
      if (!renews) check(t, name, figures, budget)
    }
  })
}

t.test('the table names each operation', async (t) => {
  if (renews) await writeFile(FILE, page.replace(/^\|.*\|$/ms, table()))
  else t.strictSame([...budgets.keys()], OPERATIONS.map(nameOf), `${FILE}; ${RENEW} rewrites the table`)
})

function isOver({ slack = 1 }: Column, figure: number | undefined, budget: number): boolean {
  return figure !== undefined && figure > budget * slack
}

function check(t: Test, name: string, figures: Figures, budget: Budget): void {
  for (const [i, column] of COLUMNS.entries()) {
    const [figure, limit] = [figures[column.figure], budget[i]]
    if (figure === undefined && limit === undefined) continue
    const what = `${name}: ${figure} ${column.title}, the budget is ${limit}.`
    if (figure === undefined || limit === undefined) {
      t.fail(`${what} Each is needed, or neither: ${RENEW} rewrites ${FILE}.`)
    } else if (isOver(column, figure, limit)) {
      t.fail(`${what} Find what grew; if it must be, raise the budget in ${FILE} (${RENEW}).`)
    } else if (figure < limit * LOWER_AT) {
      t.fail(`${what} It costs less now: lower the budget in ${FILE} (${RENEW}).`)
    } else t.pass(what)
  }
}

function table(): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const titles = ['operation', ...COLUMNS.map(({ title }) => title)]
  const rule = `|---|${COLUMNS.map(() => '--:|').join('')}`
  const rows = OPERATIONS.map(nameOf).map((name) =>
    line([name, ...COLUMNS.map(({ figure }) => found.get(name)?.[figure] ?? '')]),
  )
  return [line(titles), rule, ...rows].join('\n')
}
