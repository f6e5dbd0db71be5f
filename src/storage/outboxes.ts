/** What bounds an outbox. */
export interface OutboxLimits {
  /** How many items it has at most. */
  readonly max: number
  /** Seconds until an item is dropped. */
  readonly ttl: number
}

/**
 * What waits to be taken by one receiver each, in its order. The items of an outbox are distinct strings, and each counts
 * once however often it is put while it is there. Each call is one atomic step that depends on no other outbox; it throws
 * StorageUnavailable.
 */
export interface Outboxes {
  /** Puts items at the end, all of them or none. Returns false, and puts none, if there is no room for all. */
  put(owner: string, items: readonly string[], limits: OutboxLimits): Promise<boolean>
  /** Returns the first items, those left out that are to be dropped. */
  read(owner: string, range: { readonly limit: number; readonly ttl: number }): Promise<string[]>
  /** Removes items. */
  remove(owner: string, ...items: readonly string[]): Promise<void>
  /** Returns how many items there are; those that are to be dropped may count. */
  size(owner: string): Promise<number>
  /** Removes all items. */
  clear(owner: string): Promise<void>
}
