import { AdminError } from '../src/admin/operation/problem.ts'
import { groupsOf } from '../src/core/groups.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { Refusal, ServerFailure } from './errors.ts'
import { EntryProblems, type ImportStep, NO_TOTALS, PARALLEL, type Totals } from './import.ts'
import type { ListFile } from './list-file.ts'
import { forEachInParallel } from './parallel.ts'
import type { Progress } from './run.ts'
import { Seen } from './seen.ts'

/** So many entries of a file are in memory at a time. */
export const AHEAD = 4 * PARALLEL

/** An entry of a file. */
interface Entry {
  /** Its place, as EntryProblems has it. */
  readonly index: number
  readonly name: string
}

/** How entries of a file become records. */
export interface ListImport<Read extends Entry, Step extends ImportStep> {
  /** Reads entries. @param seen the names of those before */
  read(values: readonly [number, unknown][], problems: EntryProblems, seen: Seen): readonly Read[]
  /** Returns what would become of an entry; writes nothing. @throws AdminError if it is refused */
  check(entry: Read, fail: (problem: string) => void): Promise<Step>
  /** Writes an entry, and returns what became of it. @throws AdminError if it is refused */
  write(entry: Read): Promise<Step>
  /** Returns the step of an entry whose outcome is not known, or that is not tried. */
  unfinished(entry: Read, outcome: 'unknown' | 'not_written'): Step
  /** Returns the problems of a refused entry. */
  problemsOf(entry: Read, error: AdminError): readonly string[]
  /** Waits for so many seconds, until the server answers more requests. */
  wait(seconds: number): Promise<unknown>
}

/** Storage or the server that did not answer. */
export type Unanswered = StorageUnavailable | ServerFailure

/** What became of the entries. */
interface Written {
  readonly totals: Totals
  readonly failure: Unanswered | undefined
}

/**
 * Checks all entries of a file, and writes nothing.
 * @param note gets the step of each entry
 * @throws Refusal that lists the problems of the file, and counts them all; what the file and storage throw
 */
export async function checkList<Read extends Entry, Step extends ImportStep>(
  file: ListFile,
  list: ListImport<Read, Step>,
  note: (step: Step) => void,
): Promise<void> {
  const problems = new EntryProblems(file.placeOf)
  const seen = new Seen()
  for await (const group of groupsOf(file.entries(), AHEAD)) {
    const values = group.flatMap(({ index, value, problem }): [number, unknown][] => {
      if (problem !== undefined) problems.add({ index, name: '' }, problem)
      return problem === undefined ? [[index, value]] : []
    })
    const entries = list.read(values, problems, seen)
    const steps: Step[] = []
    await forEachInParallel([...entries.entries()], PARALLEL, async ([at, entry]) => {
      const fail = (problem: string) => problems.add(entry, problem)
      try {
        steps[at] = await patiently(list, () => list.check(entry, fail))
      } catch (error) {
        if (!(error instanceof AdminError)) throw error
        for (const problem of list.problemsOf(entry, error)) fail(problem)
      }
    })
    for (const step of steps) if (step !== undefined) note(step)
  }
  problems.throwIfAny()
}

/**
 * Writes the entries of a file that was checked: it is read once more, so that it is never in memory as a whole.
 * @param note gets the step of each entry once it is done
 * @throws Refusal if the file is another one by now; what the file throws
 */
export async function writeList<Read extends Entry, Step extends ImportStep>(
  file: ListFile,
  list: ListImport<Read, Step>,
  shown: Progress,
  note: (step: Step) => void,
): Promise<Written> {
  const totals = { ...NO_TOTALS }
  let failure: Unanswered | undefined
  let done = 0
  try {
    for await (const group of groupsOf(file.entries(), AHEAD)) {
      const problems = new EntryProblems(file.placeOf)
      // All names were looked at before.
      const entries = list.read(
        group.map(({ index, value }) => [index, value]),
        problems,
        new Seen(),
      )
      if (problems.texts.length > 0)
        throw new Refusal('The file was changed while it was read: run the command again.')
      const steps = entries.map((entry) => list.unfinished(entry, 'not_written'))
      try {
        const tried = failure === undefined ? [...entries.entries()] : []
        await forEachInParallel(tried, PARALLEL, async ([at, entry]) => {
          steps[at] = list.unfinished(entry, 'unknown')
          steps[at] = await patiently(list, () => written(list, entry))
          done += 1
          shown.at(done)
        })
      } catch (error) {
        if (!(error instanceof StorageUnavailable || error instanceof ServerFailure)) throw error
        failure = error
      }
      for (const step of steps) {
        totals.total += 1
        totals[step.outcome] += 1
        note(step)
      }
    }
  } finally {
    shown.end()
  }
  return { totals, failure }
}

/** Writes an entry that was checked: one that is refused now, another process has changed in the meantime. */
async function written<Read extends Entry, Step extends ImportStep>(
  list: ListImport<Read, Step>,
  entry: Read,
): Promise<Step> {
  try {
    return await list.write(entry)
  } catch (error) {
    if (!(error instanceof AdminError) || error.code === 'too_many_requests') throw error
    return list.unfinished(entry, 'not_written')
  }
}

/** Seconds until a server answers requests of a caller again that had too many. */
const NEXT_MINUTE = 60

/** Does what a server may have no time for at this moment: it is asked again then. @throws any other error of `work` */
export async function patiently<T>(
  { wait }: { wait(seconds: number): Promise<unknown> },
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AdminError) || error.code !== 'too_many_requests') throw error
      await wait(NEXT_MINUTE)
    }
  }
}
