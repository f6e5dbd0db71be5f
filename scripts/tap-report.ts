import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { Parser, type Result } from 'tap-parser'

/**
 * Prints a readable report of a tap run and counts its assertions: a line for each test file, the details of each
 * failure, and all lines that are not TAP. These also count as failed: a skipped assertion, a test file that crashed after
 * its last assertion, a bail-out, and a run without assertions.
 * @param tap the output of the runner, with one subtest for each test file
 */
export async function reportTap(tap: Readable, print: (text: string) => void) {
  let passed = 0
  let failed = 0
  let passedBefore = 0
  const run = new Parser()
  const printForeignLines = (parser: Parser) => {
    parser.on('extra', print)
    parser.on('child', printForeignLines)
  }
  printForeignLines(run)
  run.on('bailout', (reason: string) => print(`Bail out! ${reason}\n`))
  run.on('result', (result: Result) => {
    if (result.ok && !result.skip && !result.todo) passed++
    else {
      failed++
      print(describe(result))
    }
  })
  run.on('assert', ({ ok, name, time }: Result) => {
    print(`${ok ? 'ok  ' : 'FAIL'} ${name} (${passed - passedBefore} passed, ${Math.round(time ?? 0)} ms)\n`)
    passedBefore = passed
  })
  tap.pipe(run)
  await once(run, 'complete')

  // A bail-out, a broken plan or an empty run has no failed assertion to count.
  if ((!run.ok && failed === 0) || passed + failed === 0) failed++
  return { passed, failed }
}

function describe({ fullname, skip, todo, diag }: Result): string {
  const { at, stdio, cwd, externalID, command, args, jobId, stack, source, diff, ...rest } = diag ?? {}
  const reason = skip || todo ? `${skip ? 'skipped' : 'to do'}, which counts as failed\n` : ''
  const details = Object.keys(rest).length > 0 ? `${inspect(rest)}\n` : ''
  return `\nnot ok ${fullname}\n${reason}${stack ?? ''}${source ?? ''}${diff ?? ''}${details}\n`
}
