import { CLIENT } from '../clients/record/client-kind.ts'
import { CHANGING_NOTHING } from '../core/events.ts'
import { present } from '../core/present.ts'
import type { Storage } from '../storage/storage.ts'
import type { TrailEntry, TrailRange } from '../storage/trail.ts'
import { peopleOf } from '../users/owners-of-subs.ts'
import { USER } from '../users/user-kind.ts'
import { type AuditEntry, readEntry } from './entry.ts'
import {
  afterIn,
  beforeIn,
  lastBefore,
  PARTS,
  partOf,
  placeOf,
  shownId,
  type TrailPartName,
} from './parts.ts'

/** Which entries are wanted. */
export interface EntryFilter {
  /** A sub, a client_id, or a kind of actor. */
  readonly actor?: string | undefined
  /** Entries about a client, or that it caused. */
  readonly client_id?: string | undefined
  /** Entries about a user who exists, or that the user caused. */
  readonly username?: string | undefined
  readonly event?: string | undefined
  /** `operators`: what was changed by the console, the admin API or the command. */
  readonly changed_by?: 'operators' | undefined
  /** The request that caused it. */
  readonly request_id?: string | undefined
  /** In milliseconds since 1970. */
  readonly since?: number | undefined
}

/** A page of entries. */
export interface EntryPage {
  readonly items: readonly AuditEntry[]
  /** Where to go on; absent: this was the last page. */
  readonly next?: string
}

/** How many entries are read at once where not each of them fits, and looked at for one page, however few fit. */
const PER_READ = 500
const MAX_LOOKED_AT = 2500

/**
 * Returns a page of entries, the newest or the oldest first. It looks at a bounded number of entries, so it may have fewer
 * than wanted, and yet another page follow. Usernames are those of today.
 * @param cursor `next` of the page before
 * @throws StorageUnavailable
 */
export async function pageOfEntries(
  storage: Pick<Storage, 'trail' | 'records'>,
  filter: EntryFilter,
  { cursor, limit, oldest_first }: { cursor?: string | undefined; limit: number; oldest_first: boolean },
): Promise<EntryPage> {
  const sub = filter.username === undefined ? undefined : await subOf(storage, filter.username)
  if (filter.username !== undefined && sub === undefined) return { items: [] }
  const fits = fitting(filter, sub)
  const oldest = filter.since === undefined ? undefined : shownId(lastBefore(filter.since), 'repeated')
  const texts = textsOf(filter, sub)
  const per_read = texts.length === 0 && filter.changed_by === undefined ? limit : PER_READ
  const found: AuditEntry[] = []
  let at = cursor ?? (oldest_first ? oldest : undefined)
  for (let looked_at = 0; looked_at < MAX_LOOKED_AT; ) {
    const range = oldest_first ? { after: at } : { before: at, after: oldest }
    const entries = await readParts(storage, { ...range, is_reverse: !oldest_first, limit: per_read })
    for (const { id, part, shown, text } of entries) {
      at = shown
      looked_at += 1
      if (!texts.every((each) => text.includes(each))) continue
      const entry = readEntry(id, text, part)
      if (entry === undefined || !fits(entry)) continue
      found.push(entry)
      if (found.length === limit) break
    }
    if (found.length === limit) break
    if (entries.length < per_read) return { items: await named(storage, found) }
  }
  const items = await named(storage, found)
  return at === undefined ? { items } : { items, next: at }
}

/** Returns one entry by its id, or none. @throws StorageUnavailable */
export async function entryOf(
  storage: Pick<Storage, 'trail' | 'records'>,
  shown: string,
): Promise<readonly AuditEntry[]> {
  const { part, id: wanted } = placeOf(shown)
  const [ms = '', number = ''] = wanted.split('-')
  const after = Number(number) > 0 ? `${ms}-${Number(number) - 1}` : lastBefore(Number(ms))
  const found = await partOf(storage.trail, part).read({ after, limit: 1 })
  const entries = found.flatMap(({ id, text }) => (id === wanted ? (readEntry(id, text, part) ?? []) : []))
  return named(storage, entries)
}

/** Reads both parts as one trail, in order of time. ListLimits are ids as readers see them. */
async function readParts(
  { trail }: Pick<Storage, 'trail'>,
  { after, before, is_reverse, limit }: TrailRange & { readonly is_reverse: boolean },
): Promise<(TrailEntry & { readonly part: TrailPartName; readonly shown: string })[]> {
  const read = async (part: TrailPartName) => {
    const range = {
      after: after && afterIn(part, after),
      before: before && beforeIn(part, before),
    }
    const entries = await partOf(trail, part).read({ ...range, is_reverse, limit })
    return entries.map((entry) => ({ ...entry, part, shown: shownId(entry.id, part) }))
  }
  const entries = (await Promise.all(PARTS.map(read))).flat()
  const order = is_reverse ? -1 : 1
  return entries.sort((one, other) => (one.shown < other.shown ? -order : order)).slice(0, limit)
}

async function subOf({ records }: Pick<Storage, 'records'>, username: string): Promise<string | undefined> {
  return (await records.read(USER, username, { fields: ['sub'] }))?.hash.sub
}

/** What the text of each entry that fits has in it: most others are told by it without being parsed. */
function textsOf({ actor, client_id, event, request_id }: EntryFilter, sub: string | undefined): string[] {
  return [actor, client_id, event, request_id, sub].flatMap((one) =>
    one === undefined ? [] : [JSON.stringify(one)],
  )
}

function fitting(
  { actor, client_id, event, request_id, changed_by }: EntryFilter,
  sub: string | undefined,
): (entry: AuditEntry) => boolean {
  const concerns = (entry: AuditEntry, kind: string, id: string) =>
    entry.actor.id === id ||
    (kind === 'client' && entry.actor.client_id === id) ||
    entry.targets.some((target) => target.kind === kind && target.id === id)
  return (entry) =>
    (event === undefined || entry.event === event) &&
    (changed_by === undefined || isChangeByOperators(entry)) &&
    (request_id === undefined || entry.context.request_id === request_id) &&
    (actor === undefined || [entry.actor.id, entry.actor.kind].includes(actor)) &&
    (client_id === undefined || concerns(entry, 'client', client_id)) &&
    (sub === undefined || concerns(entry, 'user', sub))
}

const OPERATORS_USE: readonly string[] = ['console', 'api', 'command']
const NO_CHANGES: readonly string[] = CHANGING_NOTHING

const isChangeByOperators = ({ actor, event }: AuditEntry) =>
  OPERATORS_USE.includes(actor.via) && !NO_CHANGES.includes(event)

type Named = { readonly kind: string; readonly id?: string }

const isPerson = ({ kind }: Named) => ['user', 'operator', 'inviter'].includes(kind)

/** Adds what people and clients are called today. */
async function named(
  store: Pick<Storage, 'records'>,
  entries: readonly AuditEntry[],
): Promise<readonly AuditEntry[]> {
  const all = entries.flatMap(({ actor, targets }): Named[] => [actor, ...targets])
  const idsOf = (isWanted: (one: Named) => boolean) => [
    ...new Set(all.flatMap((one) => (isWanted(one) && one.id !== undefined ? [one.id] : []))),
  ]
  const [people, clients] = await Promise.all([
    peopleOf(store, idsOf(isPerson)),
    clientNamesOf(
      store,
      idsOf(({ kind }) => kind === 'client'),
    ),
  ])
  const withName = <One extends Named>(one: One): One => {
    if (one.id === undefined) return one
    if (isPerson(one)) return { ...one, ...present({ ...people.get(one.id) }) }
    const name = one.kind === 'client' ? clients.get(one.id) : undefined
    return name === undefined ? one : { ...one, name }
  }
  return entries.map((entry) => ({
    ...entry,
    actor: withName(entry.actor),
    targets: entry.targets.map((target) => withName(target)),
  }))
}

async function clientNamesOf(
  { records }: Pick<Storage, 'records'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await Promise.all(ids.map((id) => records.read(CLIENT, id, { fields: ['client_name'] })))
  return new Map(
    ids.flatMap((id, i) => {
      const name = found[i]?.hash.client_name
      return name ? [[id, name] as const] : []
    }),
  )
}
