// A whole run: of one commit, with every part, and gone on with after an interruption.
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { secondsOf, WHOLE } from '../../../bench/plan.ts'
import { ROWS } from '../../../bench/rows.ts'
import { assemble, stepsOf } from '../../../bench/steps.ts'
import { forget, keep, keyOf, takeUp } from '../../../bench/unfinished.ts'

const NODE = { path: process.execPath, version: process.version }
const steps = stepsOf({ node: NODE, plan: WHOLE, beside: { label: 'earlier', dist: '/earlier/dist' } })

const run = (commit: string, load = 0.1) => ({
  date: '2026-01-02T03:04:05Z',
  commit,
  cpu_model: 'a CPU',
  cpus: 2,
  memory_gb: 4,
  kernel: 'linux 6',
  pinned: true,
  load: [load],
  packages: {},
  rounds: 5,
  seconds: 0.4,
  resumed: [],
})

t.test(
  'a whole run has a step for every row, of a name of its own, and takes 30 minutes at most',
  async (t) => {
    const names = steps.map(({ name }) => name)
    t.equal(new Set(names).size, names.length)
    for (const { name } of ROWS) t.ok(names.includes(`row ${name}`), name)
    const minutes = steps.reduce((sum, { seconds }) => sum + seconds, 0) / 60
    t.ok(minutes <= 30, `${minutes} minutes`)
    t.ok(secondsOf(WHOLE.rows, 4, 4) > secondsOf(WHOLE.rows, 4), 'longer rounds take longer')
  },
)

t.test('the pages are of all parts or of none', async (t) => {
  const result = { name: 'row', candidates: [] }
  const value = (name: string) => {
    if (/^(row|nodes) /.test(name)) return { result, redis: '7.0.15' }
    if (name.startsWith('shapes ')) return [{ ...result, connections: 1, rounds: 'long' }]
    return name === 'hash' ? 6000 : []
  }
  const done = Object.fromEntries(steps.map(({ name }) => [name, value(name)]))
  const figures = assemble(run('abc'), done)
  t.match(figures, { commit: 'abc', redis: '7.0.15', hash_cpu: 6000 })
  t.equal(figures.rows.length, ROWS.length)
  t.equal(figures.shapes.length, 4)
  for (const { name } of steps) {
    const { [name]: _, ...less } = done
    t.throws(() => assemble(run('abc'), less), new RegExp(`lacks ${name}`), name)
  }
})

t.test(
  'an interrupted run goes on where commit, machine and plan are the same, and nowhere else',
  async (t) => {
    const path = `${t.testdir()}/unfinished.json`
    const first = run('abc')
    const began = takeUp(path, first, keyOf(first, WHOLE))
    t.same(began.done, {}, 'there is none yet')
    keep(path, { ...began, done: { hash: 1 } })
    const later = { ...run('abc', 0.7), date: '2026-01-03T00:00:00Z' }
    const gone_on = takeUp(path, later, keyOf(later, WHOLE))
    t.same(gone_on.done, { hash: 1 })
    t.match(gone_on.run, { date: first.date, load: [0.1], resumed: [0.7] }, 'it is dated by its beginning')
    for (const [what, other] of Object.entries({
      commit: keyOf({ ...later, commit: 'def' }, WHOLE),
      machine: keyOf({ ...later, cpus: 4 }, WHOLE),
      package: keyOf({ ...later, packages: { fastify: '6' } }, WHOLE),
      plan: keyOf(later, { ...WHOLE, starts: 1 }),
    }))
      t.same(takeUp(path, later, other).done, {}, `another ${what}`)
    writeFileSync(path, '{"key":')
    t.same(takeUp(path, later, keyOf(later, WHOLE)).done, {}, 'a file that was cut')
    forget(path)
    t.same(takeUp(path, later, keyOf(later, WHOLE)).done, {})
  },
)
