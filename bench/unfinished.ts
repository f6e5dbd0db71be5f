// A whole run that was interrupted: what it has measured so far, in a file that git ignores.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Figures, Results } from './results.ts'
import type { Done } from './steps.ts'

/** Where and when a run began. */
export type Run = Omit<Results, 'rows'> & Pick<Figures, 'resumed' | 'beside'>

export interface Unfinished {
  run: Run
  /** What its parts must have in common. */
  key: string
  done: Done
}

/** What may not differ within a run: the commit, the machine, the versions, and what is measured. */
export const keyOf = ({ commit, cpu_model, cpus, memory_gb, kernel, packages }: Run, ...more: unknown[]) =>
  JSON.stringify([commit, cpu_model, cpus, memory_gb, kernel, packages, process.version, ...more])

/**
 * The run to go on with: the one of the file if it has the same key, or else a new one.
 * @param run a run that begins now
 */
export function takeUp(path: string | URL, run: Run, key: string): Unfinished {
  const before = read(path)
  if (before?.key !== key) return { run, key, done: {} }
  return { ...before, run: { ...before.run, resumed: [...before.run.resumed, run.load[0] ?? 0] } }
}

function read(path: string | URL): Unfinished | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // There is none, or it was cut while it was written.
    return undefined
  }
}

export const keep = (path: string | URL, unfinished: Unfinished) =>
  writeFileSync(path, JSON.stringify(unfinished))

export const forget = (path: string | URL) => rmSync(path, { force: true })
