/**
 * Queues of work that all replicas share. An item is a text, and two items of a queue are never the same. Each call is
 * one atomic step; it throws StorageUnavailable.
 */
export interface Queue {
  /** Adds items that are due at once. */
  add(queue: string, items: readonly string[]): Promise<void>
  /**
   * Takes up to `max` items that are due. No other caller gets them for `lease` seconds; if they are neither finished
   * nor put off by then, they are due again.
   */
  claim(queue: string, max: number, lease: number): Promise<string[]>
  /** Removes items. */
  finish(queue: string, ...items: readonly string[]): Promise<void>
  /** Replaces an item that is still there by one that is due in `delay` seconds. */
  retryLater(queue: string, item: string, replacement: string, delay: number): Promise<void>
}
