import type { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { Parser, type Result } from 'tap-parser'

export interface FileReport {
  readonly file: string
  readonly passed: number
  readonly failed: number
  /** CPU time in milliseconds. */
  readonly cpu: number
}

const CPU = /^# CPU: (\d+) ms/

/**
 * Prints a readable report of a test file and counts its assertions: the details of each failure, all lines that are not
 * TAP if it fails, and a line for the file. These also count as failed: a skipped assertion, a crash after the last
 * assertion, a bail-out, and a file without assertions.
 * @param tap the output of the file
 * @param exit its exit code, or the signal that ended it
 */
export async function reportFile(
  file: string,
  tap: Readable,
  exit: Promise<number | string>,
  print: (text: string) => void,
): Promise<FileReport> {
  let passed = 0
  let failed = 0
  let cpu = 0
  const foreign: string[] = []
  const run = new Parser({ name: file })
  const follow = (parser: Parser) => {
    parser.on('extra', (line: string) => void foreign.push(line))
    parser.on('child', follow)
  }
  follow(run)
  run.on('bailout', (reason: string) => void foreign.push(`Bail out! ${reason}\n`))
  run.on('comment', (line: string) => {
    cpu = Number(CPU.exec(line)?.[1] ?? cpu)
  })
  run.on('result', (result: Result) => {
    if (result.ok && !result.skip && !result.todo) passed++
    else {
      failed++
      print(describe(result))
    }
  })
  const complete = new Promise((resolve) => run.once('complete', resolve))
  tap.pipe(run)
  const [code] = await Promise.all([exit, complete])

  // A crash, a bail-out, a broken plan or an empty file has no failed assertion to count.
  if (failed === 0 && (!run.ok || code !== 0 || passed === 0)) {
    failed = 1
    print(`\nnot ok ${file}\nends with ${code} after ${passed} assertions\n\n`)
  }
  if (failed > 0) print(foreign.join(''))
  print(`${failed === 0 ? 'ok  ' : 'FAIL'} ${file} (${passed} passed, ${(cpu / 1000).toFixed(1)} s of CPU)\n`)
  return { file, passed, failed, cpu }
}

function describe({ fullname, skip, todo, diag }: Result): string {
  const { at, stdio, cwd, externalID, command, args, jobId, stack, source, diff, ...rest } = diag ?? {}
  const reason = skip || todo ? `${skip ? 'skipped' : 'to do'}, which counts as failed\n` : ''
  const details = Object.keys(rest).length > 0 ? `${inspect(rest)}\n` : ''
  return `\nnot ok ${fullname}\n${reason}${stack ?? ''}${source ?? ''}${diff ?? ''}${details}\n`
}
