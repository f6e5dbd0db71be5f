import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { COMPILED } from './compile.ts'
import { FIRST } from './suites.ts'
import { type FileReport, reportFiles } from './tap-report.ts'

/**
 * For what hangs, in seconds: tap ends a process after the time of its first file and a minute for each further one, and we
 * soon after.
 */
const LIMITS = { further_file: 60, after_tap: 30 }
/** A larger young generation, collected by the thread itself: a tenth less CPU, as most objects die young. */
const COLLECTION = ['--max-semi-space-size=64', '--single-threaded-gc']
const NODE_ARGS = [...COLLECTION, '--enable-source-maps', join(COMPILED, 'scripts/run-batch.js')]
/** Files that start processes, or count what theirs does. The others share one: half of their time goes into loading modules. */
const APART =
  /^test\/[^/]+\/(scripts\/|system\/(audit|budget|contract|deploy|directory|faults|growth|package|process|proof)\/|src\/users\/hash-threads)/
interface RunOptions {
  /** How many processes run at the same time. */
  jobs: number
  /** How many files share a process at most; not the long ones, whose time limit is that of their process. */
  per_process: number
  /** How long a file may take, in seconds. */
  limit: number
  /** Added to the environment of each process. */
  env: Readonly<Record<string, string>>
  print: (text: string) => void
}

/** Runs compiled test files and returns a report of each, in the order of their ends. */
export async function runFiles(
  files: readonly string[],
  { jobs, per_process, ...how }: RunOptions,
): Promise<FileReport[]> {
  const reports: FileReport[] = []
  const waiting = batches(files, per_process)
  const work = async () => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      reports.push(...(await runBatch(batch, how)))
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return reports
}

/** Returns the files of each process, in the order of their start. */
function batches(files: readonly string[], per_process: number): string[][] {
  const first = FIRST.filter((file) => files.includes(file))
  const later = files.filter((file) => !FIRST.includes(file))
  const sharing = later.filter((file) => !APART.test(file))
  const groups = Array.from({ length: Math.ceil(sharing.length / per_process) }, (_, n) =>
    sharing.slice(n * per_process, (n + 1) * per_process),
  )
  return [...first, ...later.filter((file) => APART.test(file))].map((file) => [file]).concat(groups)
}

async function runBatch(
  files: readonly string[],
  { limit: of_file, env, print }: Pick<RunOptions, 'limit' | 'env' | 'print'>,
): Promise<FileReport[]> {
  const limit = of_file + LIMITS.further_file * (files.length - 1)
  const child = spawn(process.execPath, NODE_ARGS, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, TEST_FILES: files.join(' '), TAP: '1', TAP_TIMEOUT: String(limit) },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const hung = setTimeout(() => child.kill('SIGKILL'), (limit + LIMITS.after_tap) * 1000)
  const [reports] = await Promise.all([
    reportFiles(files, child.stdout, exitOf(child), print),
    once(child, 'close'),
  ])
  clearTimeout(hung)
  // What files that pass say there is of no use to the reader.
  if (reports.some(({ failed }) => failed > 0)) print(errors)
  return reports
}

/** Resolves with the exit code or the signal of a process. */
async function exitOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}
