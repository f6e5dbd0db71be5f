import { nextStep } from '../../src/admin/users/way-in.ts'
import { groupsOf } from '../../src/core/groups.ts'
import { foldName } from '../../src/core/visible-text.ts'
import { StorageUnavailable } from '../../src/storage/errors.ts'
import { fitUsersFirst } from '../../src/users/user-index.ts'
import { adminContext } from '../admin-context.ts'
import { commandError, Refusal } from '../errors.ts'
import { PARALLEL } from '../import.ts'
import { Problems } from '../problems.ts'
import type { CommandContext, Progress } from '../run.ts'
import { Seen } from '../seen.ts'
import { NextSteps } from '../user/next-step.ts'
import type { OnConflict } from './conflicts.ts'
import { type Content, differingFields, type KindOfRecord, recordProblem } from './kind.ts'
import { keyProblems, putKeys } from './moved-keys.ts'
import { MOVED_KINDS } from './moved-kinds.ts'

/** A record to import. */
export interface Incoming {
  /** Where it stands: "line 7". */
  readonly place: string
  /** Absent: its line has no kind that is known. */
  readonly kind?: KindOfRecord
  readonly id: string
  readonly content: Content
  /** What is wrong with it already. */
  readonly problems: readonly string[]
  /**
   * Returns the content with what the file does not have: as it is stored, or new.
   * @param stored undefined: there is no such record
   */
  readonly complete?: (stored: Content | undefined) => Content
  /** Is told that the record is created with what `complete` returned. */
  readonly created?: (content: Content) => void
}

/** What became of a record, or would. `over`: it has ended, so there is nothing to write. */
export const OUTCOMES = ['created', 'changed', 'unchanged', 'kept', 'over', 'refused'] as const
export type Outcome = (typeof OUTCOMES)[number]

const NONE = { created: 0, changed: 0, unchanged: 0, kept: 0, over: 0, refused: 0 }

/** How many records of each kind had which outcome, and why some were refused. */
export class MoveTally {
  readonly counts: Partial<Record<KindOfRecord | 'unknown', Record<Outcome, number>>> = {}
  readonly refused = new Problems()
  /** Records that differ and are, or would be, changed, with the names of the fields. */
  readonly changed = new Problems()
  /** Users who were written, and as whom nobody can sign in. */
  readonly left = new NextSteps()
  total = 0

  add(kind: KindOfRecord | undefined, outcome: Outcome): void {
    const name = kind ?? 'unknown'
    const counts = this.counts[name] ?? NONE
    this.counts[name] = { ...counts, [outcome]: counts[outcome] + 1 }
    this.total += 1
  }
}

/** Reads all records from the beginning; it is called twice. */
export type Source = () => AsyncIterable<Incoming>

/** An import was broken off, because storage did not answer. */
export class Interrupted extends Error {
  readonly tally: MoveTally
  constructor(tally: MoveTally, cause: StorageUnavailable) {
    super(cause.message, { cause })
    this.tally = tally
  }
}

/**
 * Looks at all records, and writes nothing.
 * @throws what the source throws; StorageUnavailable
 */
export async function planImport(
  context: CommandContext,
  source: Source,
  on_conflict: OnConflict,
  progress: Progress,
): Promise<MoveTally> {
  await fitUsersFirst(context.storage)
  return new Pass(context, on_conflict, false).run(source, progress)
}

/**
 * Writes all records that can be written. Run it after planImport.
 * @throws Interrupted if storage does not answer; what the source throws
 */
export async function writeImport(
  context: CommandContext,
  source: Source,
  on_conflict: OnConflict,
  progress: Progress,
): Promise<MoveTally> {
  return new Pass(context, on_conflict, true).run(source, progress)
}

/** One pass over all records. */
class Pass {
  readonly #context: CommandContext
  readonly #on_conflict: OnConflict
  readonly #writes: boolean
  readonly #tally = new MoveTally()
  readonly #seen = new Seen()
  /** All keys are one ring. */
  readonly #keys = new Map<string, Content>()

  constructor(context: CommandContext, on_conflict: OnConflict, writes: boolean) {
    this.#context = context
    this.#on_conflict = on_conflict
    this.#writes = writes
  }

  async run(source: Source, progress: Progress): Promise<MoveTally> {
    try {
      for await (const some of groupsOf(source(), PARALLEL)) {
        // Twice in a file is found before anything waits.
        const checked = some.map((incoming) => ({ incoming, problems: this.#problemsOf(incoming) }))
        await Promise.all(checked.map(({ incoming, problems }) => this.#take(incoming, problems)))
        progress.at(this.#tally.total)
      }
      await this.#takeKeys()
      return this.#tally
    } catch (error) {
      if (this.#writes && error instanceof StorageUnavailable) throw new Interrupted(this.#tally, error)
      throw error
    } finally {
      progress.end()
    }
  }

  #problemsOf({ kind, id, content, problems }: Incoming): readonly string[] {
    if (problems.length > 0 || kind === undefined) return problems
    const twice = namesOf(kind, id, content).flatMap(([name, said]) => (this.#seen.add(name) ? [said] : []))
    const own = kind === 'signing-key' ? keyProblems(id, content) : MOVED_KINDS[kind].problems(id, content)
    return [...twice, ...own]
  }

  async #take(incoming: Incoming, problems: readonly string[]): Promise<void> {
    const { kind, id, content } = incoming
    if (problems.length > 0 || kind === undefined) return this.#refuse(incoming, problems)
    if (kind === 'signing-key') {
      this.#keys.set(id, content)
      return
    }
    try {
      const decided = await this.#decide(incoming, kind)
      if ('problems' in decided) this.#refuse(incoming, decided.problems)
      else this.#tally.add(kind, decided.outcome)
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error
      const refusal = commandError(error)
      this.#refuse(incoming, [refusal instanceof Refusal ? refusal.message : recordProblem(error)])
    }
  }

  async #decide(
    incoming: Incoming,
    name: Exclude<KindOfRecord, 'signing-key'>,
  ): Promise<{ outcome: Outcome } | { problems: readonly string[] }> {
    const context = this.#context
    const kind = MOVED_KINDS[name]
    const { id } = incoming
    const stored = await kind.read(context, id)
    const content = withMarks(incoming.complete?.(stored) ?? incoming.content, stored)
    if (kind.isOver?.(context, id, content)) return { outcome: 'over' }
    const fields = stored === undefined ? [] : differingFields(stored, content)
    if (stored !== undefined && fields.length === 0) return { outcome: 'unchanged' }
    if (stored !== undefined && this.#on_conflict === 'keep') return { outcome: 'kept' }
    if (stored !== undefined && this.#on_conflict === 'refuse')
      return { problems: [`is here already, with other fields: ${fields.join(', ')}`] }
    const clashes = await kind.clashes(context, id, content, stored)
    if (clashes.length > 0) return { problems: clashes }
    if (stored !== undefined) this.#tally.changed.add(`${name} "${id}": ${fields.join(', ')}`)
    const outcome = stored === undefined ? 'created' : 'changed'
    if (!this.#writes) return { outcome }
    const is_written =
      stored === undefined
        ? await kind.create(context, id, content)
        : await kind.replace(context, id, content, stored)
    if (!is_written) return { problems: ['was changed here at the same time: import the file once more'] }
    if (stored === undefined) incoming.created?.(content)
    if (name === 'user') this.#tally.left.note(await nextStep(adminContext(context), id, content.fields))
    return { outcome }
  }

  async #takeKeys(): Promise<void> {
    if (this.#keys.size === 0) return
    const on_conflict = this.#on_conflict
    const signing = on_conflict === 'refuse' ? undefined : on_conflict === 'keep' ? 'own' : 'moved'
    try {
      const outcome = await putKeys(this.#context, this.#keys, signing, this.#writes)
      for (const _key of this.#keys) this.#tally.add('signing-key', outcome)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#tally.refused.add(error.message)
      for (const _key of this.#keys) this.#tally.add('signing-key', 'refused')
    }
  }

  #refuse({ place, kind, id }: Incoming, problems: readonly string[]): void {
    const name = [kind ?? 'record', ...(id === '' ? [] : [`"${id}"`])].join(' ')
    for (const problem of problems) this.#tally.refused.add(`${place}: ${name} ${problem}`)
    this.#tally.add(kind, 'refused')
  }
}

const MARKS = ['sessions_end_before', 'grants_end_before', 'tokens_end_before', 'generation']

/** Returns a record with the later of each mark: what was ended stays ended, and a mark made here is no difference. */
function withMarks(content: Content, stored: Content | undefined): Content {
  if (stored === undefined) return content
  const own = MARKS.flatMap((mark) => {
    const present = stored.fields[mark]
    const is_later = present !== undefined && Number(present) > Number(content.fields[mark] ?? 0)
    return is_later ? [[mark, present]] : []
  })
  return { ...content, fields: { ...content.fields, ...Object.fromEntries(own) } }
}

/** What no two records may share, with what is said if they do. */
function namesOf(kind: KindOfRecord, id: string, { fields }: Content): [name: string, said: string][] {
  if (kind !== 'user') return [[`${kind} ${id}`, 'is in the file twice']]
  return [
    [`user ${foldName(id)}`, 'is in the file twice, or people take its name for that of another user in it'],
    ...(fields.sub
      ? [[`sub ${fields.sub}`, 'has a sub that another user in the file has'] as [string, string]]
      : []),
  ]
}
