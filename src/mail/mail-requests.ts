import { hash } from 'node:crypto'
import type { ReportEvent } from '../core/events.ts'
import type { Transaction } from '../core/ids.ts'
import { parseObject } from '../core/json.ts'
import { randomText } from '../core/token-string.ts'
import type { Sealer } from '../keys/sealer.ts'
import { counterOf } from '../limits/networks.ts'
import type { FailureGroup } from '../storage/counters.ts'
import type { QueueName } from '../storage/queue.ts'
import type { Storage } from '../storage/storage.ts'
import type { DroppedMails } from './dropped-mails.ts'
import type { MailKind } from './mail-kinds.ts'
import { aheadOf, MAILS_AN_HOUR } from './mail-limits.ts'

/** The forms by which anybody asks for a mail. */
export type MailFormName = 'forgot' | 'sign_up'

/** What somebody asked for by a form. */
export interface MailAsk {
  readonly form: MailFormName
  readonly kind: MailKind
  /** What was typed. */
  readonly typed: string
  /** The language of the page. */
  readonly language: string
  /** The network of who asks: an IPv4 address, or the network of an IPv6 address. */
  readonly network: string
  /** Whether a mail may come of it: a name that nobody has leaves nothing. */
  readonly is_known: boolean
  /** Whether the browser is one in which somebody signed in, whoever it is. */
  readonly is_of_person?: boolean
  /** The request that waits in the browser of who asks, sealed: the link leads on to it, there alone. Absent: none waits. */
  readonly request?: Transaction | undefined
}

/** A request as it waits for a server that makes its mail. */
export interface KeptAsk {
  readonly id: string
  readonly form: MailFormName
  readonly kind: MailKind
  readonly network: string
  /** How many its sender has asked for in the hour, this one included. */
  readonly nth: number
  readonly is_of_person: boolean
  /** In milliseconds since 1970. */
  readonly created_at: number
  /** What was typed, the language, and the request that waits, or null, sealed. */
  readonly sealed: string
}

/** What it takes to ask for a mail. */
export interface AskContext {
  readonly storage: Pick<Storage, 'counters' | 'queue'>
  readonly sealer: Pick<Sealer, 'seal'>
  readonly report: ReportEvent
  readonly dropped: DroppedMails
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Where requests wait, and how many of them: strangers who ask for accounts have a share of their own. */
export const ASK_QUEUES: Readonly<Record<MailFormName, { readonly name: QueueName; readonly max: number }>> =
  {
    forgot: { name: 'mail-requests', max: 1000 },
    sign_up: { name: 'sign-up-requests', max: 300 },
  }

/** Made-up names are counted apart, so that nobody is refused for those of a neighbour. */
const SENDERS = {
  forgot: { known: 'mail-sender', unknown: 'mail-unknown' },
  sign_up: { known: 'sign-up', unknown: 'mail-unknown' },
} as const satisfies Record<MailFormName, Record<'known' | 'unknown', FailureGroup>>

const HOUR = 3_600_000
const ID_BYTES = 16

/**
 * Keeps what somebody asked for until some server has made the mail of it. For every name, known or not, there are the same
 * commands to storage, and the answer says nothing: what is beyond a limit is dropped, and counted.
 * @throws StorageUnavailable
 */
export async function askForMail(context: AskContext, wake: () => void, ask: MailAsk): Promise<void> {
  const { storage, sealer, report, dropped, now } = context
  const { form, kind, typed, language, network, is_known, is_of_person = false, request } = ask
  const sender = hash('sha256', JSON.stringify(['sender', counterOf(network)]), 'hex')
  const group = SENDERS[form][is_known ? 'known' : 'unknown']
  const { count: nth } = await storage.counters.countFailure(group, sender, HOUR)
  const is_wanted = is_known && nth <= MAILS_AN_HOUR.sender
  const kept: KeptAsk = {
    id: randomText(ID_BYTES),
    form,
    kind,
    network,
    nth,
    is_of_person,
    created_at: now(),
    sealed: sealer.seal('mail-request', JSON.stringify([typed.slice(0, MAX_TYPED), language, request])),
  }
  const { name, max } = ASK_QUEUES[form]
  const room = { max: is_wanted ? max : 0, ahead: aheadOf(nth) }
  const is_kept = await storage.queue.offer(name, formatAsk(kept), room)
  if (is_kept) wake()
  else if (is_known) dropped.note(report, { reason: is_wanted ? 'full' : 'sender', kind, network })
}

// No username and no address is longer (RFC 5321 §4.5.3.1.3).
const MAX_TYPED = 256

/** A request always has the same text, by which it is found in the queue. */
function formatAsk({ id, form, kind, network, nth, is_of_person, created_at, sealed }: KeptAsk): string {
  return JSON.stringify({ id, form, kind, network, nth, is_of_person, created_at, sealed })
}

/** Returns undefined for any text that `formatAsk` did not write. */
export function parseAsk(item: string): KeptAsk | undefined {
  const ask = parseObject(item) as Partial<KeptAsk> | undefined
  if (ask === undefined) return undefined
  const { form, nth, is_of_person, created_at, ...texts } = ask
  const is_whole =
    (form === 'forgot' || form === 'sign_up') &&
    typeof is_of_person === 'boolean' &&
    [nth, created_at].every(Number.isSafeInteger) &&
    [texts.id, texts.kind, texts.network, texts.sealed].every((text) => typeof text === 'string')
  return is_whole && formatAsk(ask as KeptAsk) === item ? (ask as KeptAsk) : undefined
}

/** Returns how many requests wait. @throws StorageUnavailable */
export async function countAsks({ queue }: Pick<Storage, 'queue'>): Promise<number> {
  const sizes = await Promise.all(Object.values(ASK_QUEUES).map(({ name }) => queue.size(name)))
  return sizes.reduce((sum, size) => sum + size, 0)
}
