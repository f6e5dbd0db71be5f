import type { AuditEntries, TrailText } from '../core/audit-entries.ts'

/** An entry that is stored. Ids are `<milliseconds since 1970>-<number>` by the clock of storage, and rise. */
export interface TrailEntry extends TrailText {
  readonly id: string
}

/** Which entries to read. */
export interface TrailRange {
  /** Only entries after this id. */
  readonly after?: string | undefined
  /** Only entries before this id. */
  readonly before?: string | undefined
  /** The newest first. */
  readonly is_reverse?: boolean
  readonly limit: number
}

/** A block of the chain over the entries, which storage does not read. */
export interface Block {
  readonly id: string
  readonly text: string
}

/** A part of the audit trail, with a chain of its own. Each call is one atomic step, and throws StorageUnavailable. */
export interface TrailPart {
  /** Adds entries at the end; a repetition of the same batch within an hour adds nothing. */
  append(batch: string, told: AuditEntries): Promise<void>
  /** Returns entries by their ids. */
  read(range: TrailRange): Promise<TrailEntry[]>
  /** Returns how many entries there are. */
  size(): Promise<number>
  /**
   * Deletes the entries before an id, with what the chain has of them, and adds the entry that says so. The cost grows with
   * their number. The last block of the chain stays. Returns false, and adds nothing, if there are none.
   */
  trim(before: string, told: AuditEntries): Promise<boolean>
  /** Adds a block to the chain after the block with this id, or as the first one; false: another block is the last. */
  seal(last: string | undefined, text: string, ttl: number): Promise<boolean>
  /** Returns blocks by their ids, as `read`. */
  blocks(range: TrailRange): Promise<Block[]>
}

/**
 * The audit trail, which all replicas share: what changed something, and in a part of its own what anybody can repeat. In a
 * Redis Cluster an entry of a change is first beside its record, and `collect` moves it.
 */
export interface Trail extends TrailPart {
  /** What is refused, or repeated without end: however much it is, it pushes out no change. */
  readonly repeated: TrailPart
  /** Moves entries that are beside their records to the trail, each once. @throws StorageUnavailable */
  collect(): Promise<void>
}
