import type { AuditEntries } from '../core/audit-entries.ts'

/** The queues. Each is the last part of a key; docs/shared-places.md says who writes them. */
export const QUEUE_NAMES = [
  'ask-pings',
  'audit-webhook',
  'endings',
  'logouts',
  'mail-requests',
  'mails',
  'set-deliveries',
  'set-turn',
  'sign-up-requests',
] as const
export type QueueName = (typeof QUEUE_NAMES)[number]

/** An item, and what is due in its place in `delay` seconds. */
export interface Retry {
  readonly item: string
  readonly replacement: string
  readonly delay: number
}

/**
 * Work queues that all replicas share. The items of a queue are distinct strings. Each call is one atomic step; it
 * throws StorageUnavailable.
 */
export interface Queue {
  /** Adds items that are due at once. @param told what the audit trail says of it, in the same step */
  add(queue: QueueName, items: readonly string[], told?: AuditEntries): Promise<void>
  /**
   * Adds an item that is due at once, unless there are `max` already.
   * @param ahead by how many milliseconds it goes before items that are added now; 0 if it is left out
   * @returns false: there are too many
   */
  offer(
    queue: QueueName,
    item: string,
    room: { readonly max: number; readonly ahead?: number },
  ): Promise<boolean>
  /**
   * Claims up to `max` items that are due. No other caller gets them for `lease` seconds; if they are neither finished
   * nor retried later by then, they are due again.
   */
  claim(queue: QueueName, max: number, lease: number): Promise<string[]>
  /** Returns how many items there are, due or not. */
  size(queue: QueueName): Promise<number>
  /** Returns up to `max` items, those that are due first at the top. It claims nothing. */
  list(queue: QueueName, max: number): Promise<string[]>
  /** Removes items. */
  finish(queue: QueueName, ...items: readonly string[]): Promise<void>
  /**
   * Replaces items by ones that are due later. Does nothing about items that were removed, or replaced by others.
   * @returns how many of the items were there, or are replaced so already
   */
  retryLater(queue: QueueName, ...retries: readonly Retry[]): Promise<number>
}
