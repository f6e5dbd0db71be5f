// What each operation may cost, counted: the same on every machine. The budgets are in budgets.md.
import { writeFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { ACCESS_TOKEN_FORMATS } from '../../../src/config/environment.ts'
import { readText, tableRows } from '../../support/markdown.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import { CONNECTIONS, type Cost, type CountedService, startCounted } from './service.ts'

const FILE = 'test/system/budget/budgets.md'
const RENEW = `UPDATE_BUDGETS=1 npx tap test/system/budget/budget.test.ts`
const EXCHANGES = 8
// Work in the background can add to a round, so the least of some rounds counts, and one too much is measured again.
const ROUNDS = 3
const MOST_ROUNDS = 10
/** A figure this much below its budget must lower the budget. */
const LOWER_AT = 0.9

interface Column {
  title: string
  /** The cost of one exchange; `at_once` that of one for each of the connections. */
  of(in_turn: Cost, at_once: Cost | undefined): number | undefined
  /** How much more than the budget is allowed: the factor. */
  slack?: number
}

/** Texts such as the ids of requests have no fixed length. */
const OF_TEXT = 1.02
/** Signatures that other threads verify are ready in different turns. Without gathering there are 16 writes. */
const OF_TURNS = 4

const each = (name: keyof Cost) => (cost: Cost) => cost[name] / EXCHANGES

const COLUMNS: readonly Column[] = [
  { title: 'commands', of: each('commands') },
  { title: 'bytes to Redis', of: each('bytes_sent'), slack: OF_TEXT },
  { title: 'bytes from Redis', of: each('bytes_received'), slack: OF_TEXT },
  { title: 'calls in Redis', of: each('calls') },
  { title: `writes of ${CONNECTIONS}`, of: (_, at_once) => at_once?.writes, slack: OF_TURNS },
  { title: 'log lines', of: each('log_lines') },
  { title: 'log bytes', of: each('log_bytes'), slack: OF_TEXT },
  { title: 'headers', of: each('headers') },
  { title: 'header bytes', of: each('header_bytes'), slack: OF_TEXT },
  { title: 'promises', of: each('promises') },
  { title: 'timers', of: each('timers') },
]

/** The figures of an operation in the order of COLUMNS; undefined where none is measured. */
type Figures = (number | undefined)[]

const nameOf = ({ name, format }: Operation) => `${name}, ${format}`
const page = await readText(FILE)
const budgets = new Map(
  tableRows(page)
    .slice(1)
    .map(([name = '', ...cells]): [string, Figures] => [
      name,
      cells.map((cell) => (cell === '' ? undefined : Number(cell))),
    ]),
)
const found = new Map<string, Figures>()

for (const format of ACCESS_TOKEN_FORMATS) {
  t.test(`the cost of each operation, ${format}`, { timeout: 250_000 }, async (t) => {
    const service = await startCounted(t, format)
    for (const operation of OPERATIONS.filter((one) => one.format === format)) {
      const name = nameOf(operation)
      const budget = budgets.get(name)
      const figures = await measure(service, operation, budget)
      found.set(name, figures)
      if (!process.env.UPDATE_BUDGETS) check(t, name, figures, budget)
    }
  })
}

t.test('the table names each operation', async (t) => {
  if (process.env.UPDATE_BUDGETS) await writeFile(FILE, page.replace(/^\|.*\|$/ms, tableOf(found)))
  else t.strictSame([...budgets.keys()], OPERATIONS.map(nameOf), `${FILE}; ${RENEW} rewrites the table`)
})

async function measure(service: CountedService, operation: Operation, budget?: Figures): Promise<Figures> {
  let least: Figures = []
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const figures = await measureOnce(service, operation).catch((error: Error) => error)
    if (figures instanceof Error) {
      // On a busy machine Redis may answer late.
      if (round < MOST_ROUNDS && figures.message.includes('503 instead of')) continue
      throw figures
    }
    least = figures.map((figure, i) => figure && Math.min(figure, least[i] ?? figure))
    const isWithin = COLUMNS.every((column, i) => !isOver(column, least[i], budget?.[i] ?? 0))
    if (round >= ROUNDS && isWithin) break
  }
  return least
}

async function measureOnce(service: CountedService, operation: Operation): Promise<Figures> {
  const prepared = async (count: number) => {
    const exchanges = []
    for (let i = 0; i < count; i++) exchanges.push(await operation.prepare(service))
    return exchanges.map((exchange) => exchange())
  }
  const in_turn = await service.measure(await prepared(EXCHANGES), 'in turn')
  const at_once = operation.is_flow
    ? undefined
    : await service.measure(await prepared(CONNECTIONS), 'at once')
  return COLUMNS.map((column) => {
    const figure = column.of(in_turn, at_once)
    return figure === undefined ? undefined : Math.round(figure)
  })
}

function isOver({ slack = 1 }: Column, figure: number | undefined, budget: number): boolean {
  return figure !== undefined && figure > budget * slack
}

function check(t: Test, name: string, figures: Figures, budget: Figures = []): void {
  for (const [i, column] of COLUMNS.entries()) {
    const { title } = column
    const [figure, limit] = [figures[i], budget[i]]
    if (figure === undefined && limit === undefined) continue
    const what = `${name}: ${figure} ${title}, the budget is ${limit}.`
    if (figure === undefined || limit === undefined) {
      t.fail(`${what} Each is needed, or neither: ${RENEW} rewrites ${FILE}.`)
    } else if (isOver(column, figure, limit)) {
      t.fail(`${what} Find what grew; if it must be, raise the budget in ${FILE} (${RENEW}).`)
    } else if (figure < limit * LOWER_AT) {
      t.fail(`${what} It costs less now: lower the budget in ${FILE} (${RENEW}).`)
    } else t.pass(what)
  }
}

function tableOf(rows: ReadonlyMap<string, Figures>): string {
  const line = (cells: readonly (string | number | undefined)[]) =>
    `| ${cells.map((cell) => cell ?? '').join(' | ')} |`
  const titles = ['operation', ...COLUMNS.map(({ title }) => title)]
  const rule = `|---|${COLUMNS.map(() => '--:|').join('')}`
  const lines = OPERATIONS.map((operation) => {
    const name = nameOf(operation)
    return line([name, ...(rows.get(name) ?? [])])
  })
  return [line(titles), rule, ...lines].join('\n')
}
