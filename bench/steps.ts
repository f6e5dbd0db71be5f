// The parts of a whole run, in the order in which they are measured, and what they make together.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Build, candidatesOf } from './candidates.ts'
import { contest } from './contest.ts'
import { findNode, hashCpu, type Node } from './machine.ts'
import { type Apart, type Plan, secondsOf } from './plan.ts'
import { measureProcess } from './process.ts'
import type { Figures, ProcessResults, Results, RowResult, ShapeResult, StormResults } from './results.ts'
import type { Row } from './row.ts'
import { ROWS } from './rows.ts'
import { measureShapes, SHAPED, secondsOfShapes } from './shapes.ts'
import { measureStorm } from './storm.ts'
import type { Table } from './table.ts'

/** The versions of Node that are measured beside each other. */
const NODES = ['20', '24', '26']

/** A part that is measured as a whole, or not at all. */
export interface Step {
  name: string
  title: string
  /** About how long it takes. */
  seconds: number
  measure(): Promise<unknown>
}

interface Course {
  node: Node
  plan: Plan
  /** An earlier build that is measured as well. */
  beside?: Build
}

/** What the steps measured, by their names. */
export type Done = Readonly<Record<string, unknown>>

/** Every step of a whole run. */
export function stepsOf({ node, plan, beside }: Course): Step[] {
  const builds = beside === undefined ? [] : [beside]
  const step = (name: string, title: string, seconds: number, measure: () => Promise<unknown>): Step => ({
    name,
    title,
    seconds,
    measure,
  })
  const short = ROWS.filter(({ short }) => short)
  return [
    step('hash', 'a password hash by itself', 2, async () => hashCpu(node)),
    ...ROWS.map((row) => {
      const candidates = candidatesOf(row, [node], isBesideEarlier(row) ? builds : [])
      const seconds = secondsOf(plan.rows, candidates.length, row.longer)
      return step(`row ${row.name}`, row.title, seconds, () => contest(row, candidates, plan.rows))
    }),
    ...SHAPED.map((row) => {
      const candidates = candidatesOf(row, [node], builds)
      const seconds = secondsOfShapes(plan.shapes, candidates.length)
      const title = `one and many, short and long: ${row.title}`
      return step(`shapes ${row.name}`, title, seconds, () => measureShapes(row, candidates, plan.shapes))
    }),
    ...short.map((row) =>
      step(
        `nodes ${row.name}`,
        `versions of Node: ${row.title}`,
        secondsOf(plan.nodes, NODES.length + 1),
        () => contest(row, candidatesOf(row, NODES.map(foundOnce), []), plan.nodes),
      ),
    ),
    step('process', 'workers, start and memory', plan.starts * 5.5 + 2 * secondsOf(plan.workers, 2), () =>
      measureProcess(node, plan),
    ),
    step(
      'storm',
      'tokens during a storm of sign-ins',
      4 + (plan.storm.rounds + 1) * (3 * plan.storm.seconds + 1),
      () => measureStorm(node, plan),
    ),
    ...(['growth', 'console', 'strangers'] as const).map((name) =>
      step(name, name, plan[name].seconds, () => measureApart(`${name}.ts`, plan[name])),
    ),
  ]
}

/** Rows in which an earlier build is measured as well. */
const isBesideEarlier = ({ short, operation }: Row) => short === true || operation === 'sign-in'

const found = new Map<string, Node>()
/** A version of Node; its package is looked for once. */
function foundOnce(version: string): Node {
  const node = found.get(version) ?? findNode(version)
  found.set(version, node)
  return node
}

/** Runs a measurement in a process of its own, whose memory and garbage are then its own as well. */
async function measureApart(script: string, { env }: Apart): Promise<Table[]> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), {
    env: { ...process.env, ...env },
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const kill = () => child.kill()
  process.once('exit', kill)
  let tables: Table[] | undefined
  child.once('message', (message) => {
    tables = message as Table[]
  })
  const [[code]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  process.off('exit', kill)
  if (tables === undefined || code !== 0) throw new Error(`bench/${script} ended with exit code ${code}`)
  return tables
}

/**
 * The results of a whole run.
 * @param run where and when it was made
 * @throws Error if a step is missing
 */
export function assemble(
  run: Omit<Results, 'rows'> & Pick<Figures, 'resumed' | 'beside'>,
  done: Done,
): Figures {
  const of = <T>(name: string): T => {
    if (!(name in done)) throw new Error(`the run lacks ${name}`)
    return done[name] as T
  }
  const short = ROWS.filter(({ short }) => short)
  const row = (name: string) => of<{ result: RowResult; redis?: string }>(name)
  const rows = ROWS.map(({ name }) => row(`row ${name}`))
  const redis = rows.flatMap(({ redis }) => redis ?? [])[0]
  return {
    ...run,
    ...(redis !== undefined && { redis }),
    hash_cpu: of<number>('hash'),
    process: of<ProcessResults>('process'),
    storm: of<StormResults>('storm'),
    rows: rows.map(({ result }) => result),
    shapes: SHAPED.flatMap(({ name }) => of<ShapeResult[]>(`shapes ${name}`)),
    nodes: short.map(({ name }) => row(`nodes ${name}`).result),
    growth: of<Table[]>('growth'),
    console: of<Table[]>('console'),
    strangers: of<Table[]>('strangers'),
  }
}
