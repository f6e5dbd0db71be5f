// The audit trail in tests: a recorder that writes when the test says so, and entries as readers see them.
import { type AuditEntry, readEntry } from '../../src/audit/entry.ts'
import { isRepeatable, PARTS, partOf } from '../../src/audit/parts.ts'
import { AuditRecorder, type RecorderTiming } from '../../src/audit/recorder.ts'
import type { AuditEntries } from '../../src/core/audit-entries.ts'
import type { ReportEvent, SecurityEvent } from '../../src/core/events.ts'
import { type Log, SILENT } from '../../src/core/log.ts'
import { MemoryRecords } from '../../src/storage/memory/records.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { MemoryTrail } from '../../src/storage/memory/trail.ts'
import type { Change, KindName, Write } from '../../src/storage/records.ts'
import type { Storage } from '../../src/storage/storage.ts'

export const AUDIT_KEY = Buffer.alloc(32, 7).toString('base64')

/** A recorder, whose entries are written when it is closed. */
export function recorderOn(
  storage: Storage = new MemoryStorage(),
  { key, log = SILENT, timing = {} }: { key?: string; log?: Log; timing?: Partial<RecorderTiming> } = {},
) {
  const audit_lost = { trail: 0, webhook: 0 }
  const settings = { audit_days: 90, ...(key !== undefined && { audit_key: key }) }
  const recorder = new AuditRecorder(
    { storage, settings, log, audit_lost, now: Date.now },
    { every: 60_000, close_within: 1000, max_waiting: 10, ...timing },
  )
  return { storage, recorder, audit_lost, settings }
}

/** All entries, the oldest first. */
export async function entriesIn({ trail }: Pick<Storage, 'trail'>): Promise<AuditEntry[]> {
  await trail.collect()
  const parts = await Promise.all(
    PARTS.map(async (part) => {
      const stored = await partOf(trail, part).read({ limit: 10_000 })
      return stored.flatMap(({ id, text }) => readEntry(id, text, part) ?? [])
    }),
  )
  return parts.flat().sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** What became of an event: whether a step took it along, and how often it was reported and is in the trail. */
export interface Followed {
  told: boolean
  reported: number
  entries: number
}

/**
 * Follows the events of all recorders on storage in memory, by their names, from now on. Recorders write what waits when they
 * are closed.
 */
export function followEvents(): ReadonlyMap<string, Followed> {
  const followed = new Map<string, Followed>()
  const of = (name: string) => {
    const found = followed.get(name) ?? { told: false, reported: 0, entries: 0 }
    followed.set(name, found)
    return found
  }
  const told = new WeakSet<SecurityEvent>()
  const { entriesOf, note } = AuditRecorder.prototype
  AuditRecorder.prototype.entriesOf = function (events, about, origin) {
    for (const event of events) if (!isRepeatable(event, origin)) told.add(event)
    return entriesOf.call(this, events, about, origin)
  }
  AuditRecorder.prototype.note = function (event, origin) {
    const found = of(event.event)
    found.reported += 1
    found.told ||= told.has(event)
    note.call(this, event, origin)
  }
  // What all parts of a trail are made of.
  const part: Pick<MemoryTrail, 'write'> = Object.getPrototypeOf(MemoryTrail.prototype)
  const { write } = part
  part.write = function (this: MemoryTrail, entries) {
    for (const { text } of entries?.entries ?? []) {
      const { event, details } = JSON.parse(text)
      if (event !== undefined) of(event).entries += details?.times ?? 1
    }
    write.call(this, entries)
  }
  return followed
}

/** What a writer stands behind: storage, the one change of accounts that brings the entry of its caller, and this file. */
const BETWEEN = /audited\.ts|\/src\/storage\/|\/src\/factors\/account-now\.ts/

/** Records whose changes operators look for in the trail. */
const TOLD_KINDS = ['client', 'user', 'resource', 'issuer', 'provider']

/**
 * Follows what production code writes to memory of records of operators and people, from now on: returns the files whose
 * writes took no entry along. What a test writes itself does not count.
 */
export function followUntold(): ReadonlySet<string> {
  const untold = new Set<string>()
  const note = (kind: string, told: AuditEntries | undefined) => {
    if (!TOLD_KINDS.includes(kind) || (told !== undefined && told.entries.length > 0)) return
    const frames = (new Error().stack ?? '').split('\n').filter((line) => !BETWEEN.test(line))
    const writer = frames
      .map((line) => /\/((?:src|cli|routes|plugins|test)\/[^:?]*)/.exec(line)?.[1])
      .find(Boolean)
    if (writer !== undefined && !writer.startsWith('test/')) untold.add(writer)
  }
  const { create, put, change, remove } = MemoryRecords.prototype
  Object.assign(MemoryRecords.prototype, {
    create(...writes: Write[]) {
      for (const { kind, told } of writes) note(kind.name, told)
      return create.apply(this as never, writes as never)
    },
    put(...writes: Write[]) {
      for (const { kind, told } of writes) note(kind.name, told)
      return put.apply(this as never, writes as never)
    },
    change(kind: KindName, id: string, given: Change) {
      note(kind.name, given.told)
      return change.call(this as never, kind, id, given)
    },
    remove(kind: never, id: string, told: AuditEntries | undefined) {
      note((kind as KindName).name, told)
      return remove.call(this as never, kind, id, told)
    },
  })
  return untold
}

/** Returns what reports events to a list and to a recorder, and lets writes take them along. */
export function reportTo(
  list: SecurityEvent[],
  recorder: Pick<AuditRecorder, 'entriesOf' | 'note'>,
): ReportEvent & { readonly entriesOf: NonNullable<ReportEvent['entriesOf']> } {
  const report = (event: SecurityEvent) => {
    list.push(event)
    recorder.note(event, {})
  }
  return Object.assign(report, {
    entriesOf: (...[events, about]: Parameters<NonNullable<ReportEvent['entriesOf']>>) =>
      recorder.entriesOf(events, about, {}),
  })
}
