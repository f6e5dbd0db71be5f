/**
 * Work queues that all replicas share. The items of a queue are distinct strings. Each call is one atomic step; it
 * throws StorageUnavailable.
 */
export interface Queue {
  /** Adds items that are due at once. */
  add(queue: string, items: readonly string[]): Promise<void>
  /**
   * Claims up to `max` items that are due. No other caller gets them for `lease` seconds; if they are neither finished
   * nor retried later by then, they are due again.
   */
  claim(queue: string, max: number, lease: number): Promise<string[]>
  /** Removes items. */
  finish(queue: string, ...items: readonly string[]): Promise<void>
  /** Replaces an item by one that is due in `delay` seconds. Does nothing if the item was removed. */
  retryLater(queue: string, item: string, replacement: string, delay: number): Promise<void>
}
