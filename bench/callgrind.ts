// Counts the instructions of a process that runs under valgrind's callgrind.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @throws Error if this machine has no callgrind */
export function assertCallgrind(): void {
  if (spawnSync('callgrind_control', ['--version']).status !== 0)
    throw new Error("valgrind is missing: it is Debian's package valgrind")
}

/** The instructions of one process. */
export class Callgrind {
  readonly #folder = mkdtempSync(join(tmpdir(), 'callgrind-'))

  /** The words before the command of the process. */
  get under(): readonly string[] {
    // The code that V8 writes while it runs is noticed.
    const options = ['--smc-check=all-non-file', '--separate-threads=yes', '--quiet']
    return ['valgrind', '--tool=callgrind', ...options, `--callgrind-out-file=${this.#folder}/out`]
  }

  /** Begins to count. */
  begin(pid: number): void {
    for (const name of readdirSync(this.#folder)) rmSync(join(this.#folder, name))
    control('--zero', pid)
  }

  /** @returns the instructions of the main thread since `begin` */
  count(pid: number): number {
    control('--dump', pid)
    const main = readdirSync(this.#folder).find((name) => name.endsWith('-01'))
    if (main === undefined) throw new Error('callgrind wrote no count of the main thread')
    return instructionsIn(readFileSync(join(this.#folder, main), 'utf8'))
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Returns the sum of a file that callgrind wrote. @throws Error if it has none */
export function instructionsIn(text: string): number {
  const [, sum] = /^(?:totals|summary): (\d+)/m.exec(text) ?? []
  if (sum === undefined) throw new Error('the file of callgrind has no sum')
  return Number(sum)
}

function control(option: string, pid: number): void {
  execFileSync('callgrind_control', [option, String(pid)], { stdio: 'ignore' })
}
