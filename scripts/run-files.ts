import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { COMPILED, compiled } from './compile.ts'
import { type FileReport, reportFile } from './tap-report.ts'

/** For what hangs, in seconds: tap ends a file after the first time, and we the process after the second. */
const LIMITS = { file: 300, process: 330 }
// tap's own runner loads two hooks of modules into each process, which cost as much as most files.
const NODE_ARGS = ['--enable-source-maps', '--import=./scripts/cpu-time.mjs']

interface RunOptions {
  /** How many run at the same time. */
  jobs: number
  /** Added to the environment of each file. */
  env: Readonly<Record<string, string>>
  print: (text: string) => void
}

/** Runs compiled test files, each in a process of its own, and returns a report of each, in the order of their ends. */
export async function runFiles(
  files: readonly string[],
  { jobs, env, print }: RunOptions,
): Promise<FileReport[]> {
  const reports: FileReport[] = []
  const waiting = [...files]
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      reports.push(await runFile(file, env, print))
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return reports
}

async function runFile(
  file: string,
  env: RunOptions['env'],
  print: RunOptions['print'],
): Promise<FileReport> {
  const child = spawn(process.execPath, [...NODE_ARGS, join(COMPILED, compiled(file))], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, TAP: '1', TAP_TIMEOUT: String(LIMITS.file) },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const hung = setTimeout(() => child.kill('SIGKILL'), LIMITS.process * 1000)
  const [report] = await Promise.all([
    reportFile(file, child.stdout, exitOf(child), print),
    once(child, 'close'),
  ])
  clearTimeout(hung)
  // What a file that passes says there is of no use to the reader.
  if (report.failed > 0) print(errors)
  return report
}

/** Resolves with the exit code or the signal of a process. */
async function exitOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}
