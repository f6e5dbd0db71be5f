import type { Log } from '../core/log.ts'
import type { Retry } from '../storage/queue.ts'
import type { Storage } from '../storage/storage.ts'
import type { MailKind } from './mail-kinds.ts'

/** A mail that waits to be handed over. */
export interface QueuedMail {
  readonly id: string
  readonly kind: MailKind
  /** The address. */
  readonly to: string
  /** In milliseconds since 1970. */
  readonly created_at: number
  /** When its link ends, and the mail with it; in milliseconds since 1970. */
  readonly ends_at: number
  /** How often it was not delivered. */
  readonly attempts: number
  /** How many attempts began and were not noted: after a crash, the mail may have left. */
  readonly begun: number
  /** `refused`: for good; it stays until it ends, for operators to see. */
  readonly state: 'waiting' | 'refused'
  /** What the server said last; empty: nothing. */
  readonly answer: string
  /** What it says, sealed: its link must be readable in neither storage nor lists. Empty if it is not needed any more. */
  readonly sealed: string
}

type QueueContext = Pick<Storage, 'queue'>

const QUEUE = 'mails'

/** The most mails that wait: further ones are dropped. Each needs at most 2 kB. */
export const MAX_QUEUED = 10_000

/**
 * Adds a mail that is due at once; false: there are too many.
 * @param ahead by how many milliseconds it goes before mails that are added now
 * @throws StorageUnavailable
 */
export function queueMail({ queue }: QueueContext, mail: QueuedMail, ahead = 0): Promise<boolean> {
  return queue.offer(QUEUE, format(mail), { max: MAX_QUEUED, ahead })
}

/**
 * Claims up to `max` mails that are due. No other replica gets them for `lease` seconds. Malformed ones are removed and
 * logged.
 * @throws StorageUnavailable
 */
export async function claimMails(
  { queue, log }: QueueContext & { readonly log: Log },
  max: number,
  lease: number,
): Promise<QueuedMail[]> {
  const items = await queue.claim(QUEUE, max, lease)
  const malformed = items.filter((item) => parse(item) === undefined)
  if (malformed.length > 0) {
    await queue.finish(QUEUE, ...malformed)
    log.warn({ count: malformed.length }, 'Malformed mails were removed from the queue.')
  }
  return items.flatMap((item) => parse(item) ?? [])
}

/** Returns how many mails there are. @throws StorageUnavailable */
export function countMails({ queue }: QueueContext): Promise<number> {
  return queue.size(QUEUE)
}

/** Returns up to `max` mails, those that are due first at the top. @throws StorageUnavailable */
export async function listMails({ queue }: QueueContext, max: number): Promise<QueuedMail[]> {
  return (await queue.list(QUEUE, max)).flatMap((item) => parse(item) ?? [])
}

/** Removes a mail. @throws StorageUnavailable */
export function finishMail({ queue }: QueueContext, mail: QueuedMail): Promise<void> {
  return queue.finish(QUEUE, format(mail))
}

/**
 * Replaces a mail by what it is now, due in `delay` seconds.
 * @returns false: it is not in the queue as it was, so somebody else has it, or removed it
 * @throws StorageUnavailable
 */
export async function replaceMail(
  { queue }: QueueContext,
  mail: QueuedMail,
  changed: QueuedMail,
  delay: number,
): Promise<boolean> {
  const retry: Retry = { item: format(mail), replacement: format(changed), delay }
  return (await queue.retryLater(QUEUE, retry)) === 1
}

/**
 * Makes mails due now that wait after a failure, and begins the pauses between their attempts anew.
 * @param id of one mail; undefined: all of them
 * @returns how many
 * @throws StorageUnavailable
 */
export async function retryMails(context: QueueContext, id: string | undefined): Promise<number> {
  const mails = await listMails(context, MAX_QUEUED)
  // One whose attempt has begun may be leaving just now.
  const waiting = mails.filter(
    (mail) =>
      mail.state === 'waiting' &&
      mail.attempts > 0 &&
      mail.begun === 0 &&
      (id === undefined || mail.id === id),
  )
  const retries = waiting.map((mail) => ({
    item: format(mail),
    replacement: format({ ...mail, attempts: 0 }),
    delay: 0,
  }))
  return context.queue.retryLater(QUEUE, ...retries)
}

// A mail always has the same text, by which it is found in the queue.
function format(mail: QueuedMail): string {
  const { id, kind, to, created_at, ends_at, attempts, begun, state, answer, sealed } = mail
  return JSON.stringify({ id, kind, to, created_at, ends_at, attempts, begun, state, answer, sealed })
}

/** Returns undefined for any text that `format` did not write. */
function parse(item: string): QueuedMail | undefined {
  try {
    const mail = JSON.parse(item) as QueuedMail
    return typeof mail === 'object' && format(mail) === item && isComplete(mail) ? mail : undefined
  } catch {
    return undefined
  }
}

function isComplete({ id, kind, to, state, answer, sealed, ...numbers }: QueuedMail): boolean {
  return (
    [id, kind, to, state, answer, sealed].every((text) => typeof text === 'string') &&
    Object.values(numbers).every(Number.isSafeInteger) &&
    Object.keys(numbers).length === 4
  )
}
