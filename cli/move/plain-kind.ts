import type { About } from '../../src/core/audit-entries.ts'
import { commit } from '../../src/core/commit.ts'
import type { SecurityEvent } from '../../src/core/events.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { fitIndexes, fittedAt, listOf } from '../../src/storage/indexes.ts'
import type { Listing } from '../../src/storage/lists.ts'
import type { Kind } from '../../src/storage/records.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import type { CommandContext } from '../command-context.ts'
import { type Content, changeTo, type KindOfRecord, type MovedKind } from './kind.ts'

const PAGE = 500

/** How a kind differs from others whose records are nothing but a hash. */
export interface SimpleOptions {
  readonly name: KindOfRecord
  readonly kind: Kind<unknown>
  /** Whether a text is an id of the kind; absent: the parser of the record says so. */
  readonly isId?: (id: string) => boolean
  /** When a record ends by itself, in milliseconds since 1970; absent or undefined: never. */
  readonly endsAt?: (context: CommandContext, id: string, fields: Hash) => number | undefined
  /** The lists that a record joins. */
  readonly lists?: (context: CommandContext, id: string, fields: Hash) => readonly Listing[]
  /** What stands against a new record besides. */
  readonly clashes?: (context: CommandContext, id: string) => Promise<string[]>
  /** Absent: writing is no event. */
  readonly eventsOf?: EventsOf
}

/** Returns the events of writing a record, and what is known of it besides; `stored`: what is there before. */
type EventsOf = (
  context: CommandContext,
  id: string,
  fields: Hash,
  stored: Hash | undefined,
) => Happening | Promise<Happening>

interface Happening {
  readonly events: readonly SecurityEvent[]
  readonly about?: About
}

const NO_EVENTS: EventsOf = () => ({ events: [] })

/** Returns a kind whose records are nothing but a hash. */
export function plainKind(options: SimpleOptions): MovedKind {
  const { kind, name, isId = () => true, lists = () => [], eventsOf = NO_EVENTS } = options
  const problems = (id: string, { fields }: Content) => {
    if (!isId(id)) return ['has an id that no record of its kind can have']
    const parsed = kind.parse(fields, id)
    return parsed.ok ? [] : parsed.problems.map(describeProblem)
  }
  return {
    async *all(context, left_out) {
      for await (const { id, hash } of everyListed(context.storage, kind, (id) => {
        left_out(name, id, 'is not a hash')
      })) {
        const content = { fields: hash }
        const [problem] = problems(id, content)
        if (problem === undefined) yield { id, content }
        else left_out(name, id, problem)
      }
    },
    async read({ storage }, id) {
      const hash = (await storage.records.read(kind, id))?.hash
      return hash && { fields: hash }
    },
    problems,
    async clashes(context, id, _content, stored) {
      return stored === undefined ? ((await options.clashes?.(context, id)) ?? []) : []
    },
    isOver(context, id, { fields }) {
      const ends_at = options.endsAt?.(context, id, fields)
      return ends_at !== undefined && ends_at <= context.now()
    },
    async create(context, id, { fields }) {
      const { events, about = {} } = await eventsOf(context, id, fields, undefined)
      const record = {
        kind,
        id,
        hash: fields,
        ...ttlOf(options.endsAt?.(context, id, fields), context.now()),
        lists: lists(context, id, fields),
      }
      const outcome = await commit(context, events, about, (told) =>
        context.storage.records.create({ ...record, told }),
      )
      return outcome === 'ok'
    },
    async replace(context, id, { fields }, stored) {
      const { events, about = {} } = await eventsOf(context, id, fields, stored.fields)
      const change = {
        ...changeTo(fields, stored.fields),
        expected: stored.fields,
        whole: true,
        ...ttlOf(options.endsAt?.(context, id, fields), context.now()),
        lists: lists(context, id, fields),
      } as const
      const outcome = await commit(context, events, about, (told) =>
        context.storage.records.change(kind, id, { ...change, told }),
      )
      return outcome === 'ok'
    },
  }
}

/** Returns the rest of a lifetime in seconds, as records take it. */
export function ttlOf(ends_at: number | undefined, now: number): { readonly ttl?: number } {
  return ends_at === undefined ? {} : { ttl: Math.max(1, Math.ceil((ends_at - now) / 1000)) }
}

/**
 * Yields all records of a listed kind, in the order of their ids, by its list: one after another without a memory of those
 * before. A list that no server keeps is made first.
 * @param misfit gets the id of each record whose key is not a hash
 */
async function* everyListed(
  storage: RecordStore,
  kind: Kind<unknown>,
  misfit: (id: string) => void,
): AsyncGenerator<{ id: string; hash: Hash }> {
  if ((await fittedAt(storage)) === undefined) await fitIndexes(storage, [listOf(storage, kind)])
  let after: string | undefined
  do {
    const page = { limit: PAGE, misfit, ...(after === undefined ? {} : { after }) }
    const { items, next } = await storage.records.page(kind, page)
    yield* items
    after = next
  } while (after !== undefined)
}
