import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { linesOfTurn } from '../../../../src/service/turn-lines.ts'
import { run, TYPESCRIPT } from '../../../support/process.ts'

t.test('the lines of one turn of the event loop are written together, in their order', async (t) => {
  const written: string[] = []
  const lines = linesOfTurn({ write: (text) => void written.push(text) })
  lines.write('one\n')
  lines.write('two\n')
  t.same(written, [])
  await nextTurn()
  t.same(written, ['one\ntwo\n'])
  lines.write('three\n')
  lines.flushSync()
  t.same(written.splice(1), ['three\n'])
  lines.write('four\n')
  await nextTurn()
  await nextTurn()
  t.same(written.splice(1), ['four\n'], 'each line once')
})

t.test('lines that a pipe would not keep together are written one write after the other', async (t) => {
  const written: string[] = []
  const lines = linesOfTurn({ write: (text) => void written.push(text) })
  const [short, long, huge] = ['é'.repeat(100), 'x'.repeat(4000), 'x'.repeat(5000)].map((text) => `${text}\n`)
  for (const line of [short, long, short, huge, short]) lines.write(line ?? '')
  await nextTurn()
  t.same(written, [short, `${long}`, `${short}`, huge, short])
})

t.test('lines of few characters but many bytes are written one by one', async (t) => {
  const written: string[] = []
  const lines = linesOfTurn({ write: (text) => void written.push(text) })
  const line = `${'é'.repeat(1500)}\n`
  for (let i = 0; i < 2; i++) lines.write(line)
  await nextTurn()
  t.same(written, [line, line])
})

t.test('the lines of the last turn are written before the process exits', async (t) => {
  const program = `
    import { linesOfTurn } from './src/service/turn-lines.ts'
    linesOfTurn(process.stdout).write('the last line')
    process.exit(3)`
  const child = run(t, process.execPath, [TYPESCRIPT, '--input-type=module', '--eval', program], {})
  t.same(await child.ended, { code: 3, signal: null })
  t.equal(child.stdout, 'the last line')
})
