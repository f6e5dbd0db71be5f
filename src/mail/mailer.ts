import type { Settings } from '../config/settings.ts'
import type { EmailAddress } from '../core/email-address.ts'
import type { ReportEvent } from '../core/events.ts'
import { randomText } from '../core/token-string.ts'
import type { Sealer } from '../keys/sealer.ts'
import type { Storage } from '../storage/storage.ts'
import type { MailContent } from './mail-kinds.ts'
import { aheadOf } from './mail-limits.ts'
import { type QueuedMail, queueMail } from './mail-queue.ts'

const ID_BYTES = 16

/** The longest time that a mail waits, in seconds. */
export const MAIL_TTL = 86_400

/** What it takes to send mail. */
export interface MailContext {
  readonly storage: Pick<Storage, 'queue'>
  readonly settings: Settings
  readonly sealer: Pick<Sealer, 'seal'>
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** One mail to be sent. */
export interface MailRequest {
  readonly to: EmailAddress
  readonly content: MailContent
  /** In seconds: the life of its link. */
  readonly ttl: number
  /** How many its sender has asked for in the hour, this one included: senders take turns. Absent: nobody asked for it. */
  readonly nth?: number
}

/**
 * Queues a mail, and wakes the courier; false if it is dropped, because there are too many in all. Nothing waits for the
 * SMTP server.
 * @throws StorageUnavailable
 */
export async function sendMail(
  context: MailContext,
  wake: () => void,
  { to, content, ttl, nth }: MailRequest,
): Promise<boolean> {
  const { storage, sealer, report, now } = context
  const id = randomText(ID_BYTES)
  const { kind } = content
  const mail: QueuedMail = {
    id,
    kind,
    to: to.text,
    created_at: now(),
    ends_at: now() + Math.min(ttl, MAIL_TTL) * 1000,
    attempts: 0,
    begun: 0,
    state: 'waiting',
    answer: '',
    sealed: sealer.seal('mail', JSON.stringify(content)),
  }
  const is_queued = await queueMail(storage, mail, aheadOf(nth))
  if (is_queued) wake()
  else report({ event: 'mail_dropped', reason: 'full', mail: id, kind })
  return is_queued
}
