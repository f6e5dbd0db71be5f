import { groupsOf } from '../src/core/groups.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { Refusal } from './errors.ts'
import { EntryProblems, type ImportStep, NO_TOTALS, PARALLEL, type Totals, writeSteps } from './import.ts'
import type { ListFile } from './list-file.ts'
import type { Progress } from './run.ts'
import { Seen } from './seen.ts'

/** So many entries of a file are in memory at a time. */
export const AHEAD = 4 * PARALLEL

/** How entries of a file become records. */
export interface ListImport<Entry, Step extends ImportStep> {
  /** Reads entries. @param seen the names of those before */
  read(values: readonly [number, unknown][], problems: EntryProblems, seen: Seen): readonly Entry[]
  /**
   * Returns the work for entries, in their order; adds what stands against it to `problems`.
   * @param problems absent: they were all checked before
   */
  plan(entries: readonly Entry[], problems?: EntryProblems): Promise<readonly Step[]>
  /** Returns the step of an entry that is not tried. */
  untried(entry: Entry): Step
}

/** What became of the entries. */
interface Written {
  readonly totals: Totals
  /** Storage did not answer. */
  readonly failure: StorageUnavailable | undefined
}

/**
 * Checks all entries of a file, and writes nothing.
 * @param note gets the step of each entry
 * @returns how many would be written
 * @throws Refusal that lists the problems of the file, and counts them all; what the file and storage throw
 */
export async function checkList<Entry, Step extends ImportStep>(
  file: ListFile,
  { read, plan }: Pick<ListImport<Entry, Step>, 'read' | 'plan'>,
  note: (step: Step) => void = () => {},
): Promise<number> {
  const problems = new EntryProblems(file.placeOf)
  const seen = new Seen()
  let wanted = 0
  for await (const group of groupsOf(file.entries(), AHEAD)) {
    const values = group.flatMap(({ index, value, problem }): [number, unknown][] => {
      if (problem !== undefined) problems.add({ index, name: '' }, problem)
      return problem === undefined ? [[index, value]] : []
    })
    for (const step of await plan(read(values, problems, seen), problems)) {
      if (step.write !== undefined) wanted += 1
      note(step)
    }
  }
  problems.throwIfAny()
  return wanted
}

/**
 * Writes the entries of a file that was checked: it is read once more, so that it is never in memory as a whole.
 * @param shown the progress, of as many as checkList returned
 * @param note gets the step of each entry once it is done
 * @throws Refusal if the file is another one by now; what the file throws
 */
export async function writeList<Entry, Step extends ImportStep>(
  file: ListFile,
  { read, plan, untried }: ListImport<Entry, Step>,
  shown: Progress,
  note: (step: Step) => void,
): Promise<Written> {
  const totals = { ...NO_TOTALS }
  let failure: StorageUnavailable | undefined
  let done = 0
  try {
    for await (const group of groupsOf(file.entries(), AHEAD)) {
      const problems = new EntryProblems(file.placeOf)
      // All names were looked at before.
      const entries = read(
        group.map(({ index, value }) => [index, value]),
        problems,
        new Seen(),
      )
      if (problems.texts.length > 0)
        throw new Refusal('The file was changed while it was read: run the command again.')
      let steps = entries.map(untried)
      try {
        if (failure === undefined) steps = [...(await plan(entries))]
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error
        failure = error
      }
      if (failure === undefined) {
        failure = await writeSteps(steps, () => ({ at: (count) => shown.at(done + count), end() {} }))
        done += steps.filter(({ write }) => write !== undefined).length
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
