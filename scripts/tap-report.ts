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

const CPU = /^# CPU: (\d+) ms (.*)/

/**
 * Prints a readable report of test files and counts their assertions: the details of each failure, all lines that are not
 * TAP if one fails, and a line for each file. These also count as failed: a skipped assertion, a crash after the last
 * assertion, a bail-out, and a file without assertions.
 * @param files those that one process runs in turn
 * @param tap the output of the process: a test for each file
 * @param exit its exit code, or the signal that ended it
 */
export async function reportFiles(
  files: readonly string[],
  tap: Readable,
  exit: Promise<number | string>,
  print: (text: string) => void,
): Promise<FileReport[]> {
  const reports = new Map(files.map((file) => [file, { file, passed: 0, failed: 0, cpu: 0 }]))
  const reportOf = (name: string) => reports.get(name.split(' > ', 1)[0] ?? '')
  const foreign: string[] = []
  const run = new Parser()
  const follow = (parser: Parser) => {
    parser.on('extra', (line: string) => void foreign.push(line))
    parser.on('child', follow)
  }
  follow(run)
  run.on('bailout', (reason: string) => void foreign.push(`Bail out! ${reason}\n`))
  run.on('comment', (line: string) => {
    const [, cpu, file = ''] = CPU.exec(line) ?? []
    const report = reports.get(file)
    if (report) report.cpu = Number(cpu)
  })
  const broken = new Set<string>()
  run.on('assert', ({ ok, name }: Result) => void (ok || broken.add(name)))
  run.on('result', (result: Result) => {
    // What a file without assertions ends with.
    if (result.ok && reports.has(result.fullname)) return
    const report = reportOf(result.fullname)
    if (result.ok && !result.skip && !result.todo && report) report.passed++
    else {
      const counted = report ?? [...reports.values()].at(-1)
      if (counted) counted.failed++
      print(describe(result))
    }
  })
  const complete = new Promise((resolve) => run.once('complete', resolve))
  tap.pipe(run)
  const [code] = await Promise.all([exit, complete])

  const all = [...reports.values()]
  const hasFailed = () => all.some(({ failed }) => failed > 0)
  const end = (report: FileReport & { failed: number }) => {
    report.failed = 1
    print(`\nnot ok ${report.file}\nends with ${code} after ${report.passed} assertions\n\n`)
  }
  // A crash, a bail-out, a broken plan or an empty file has no failed assertion to count.
  for (const report of all) {
    if (report.failed === 0 && (report.passed === 0 || broken.has(report.file))) end(report)
  }
  const last = all.at(-1)
  if (last && !hasFailed() && (!run.ok || code !== 0)) end(last)
  if (hasFailed()) print(foreign.join(''))
  for (const { file, passed, failed, cpu } of all) {
    print(
      `${failed === 0 ? 'ok  ' : 'FAIL'} ${file} (${passed} passed, ${(cpu / 1000).toFixed(1)} s of CPU)\n`,
    )
  }
  return all
}

function describe({ fullname, skip, todo, diag }: Result): string {
  const { at, stdio, cwd, externalID, command, args, jobId, stack, source, diff, ...rest } = diag ?? {}
  const reason = skip || todo ? `${skip ? 'skipped' : 'to do'}, which counts as failed\n` : ''
  const details = Object.keys(rest).length > 0 ? `${inspect(rest)}\n` : ''
  return `\nnot ok ${fullname}\n${reason}${stack ?? ''}${source ?? ''}${diff ?? ''}${details}\n`
}
