import { hash } from 'node:crypto'
import { isNameTaken } from '../accounts/name-taken.ts'
import { hasOnlyPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import { type EmailAddress, readEmail } from '../core/email-address.ts'
import type { ReportEvent } from '../core/events.ts'
import { PATHS } from '../core/paths.ts'
import { counterOf } from '../limits/networks.ts'
import { MAILS_AN_HOUR, type Refused } from '../mail/mail-limits.ts'
import type { MailRequest } from '../mail/mailer.ts'
import { evidenceTag, type KeptEvidence } from '../storage/evidence.ts'
import type { Storage } from '../storage/storage.ts'
import { addressOf, type Link, newLink } from './link.ts'

/** What it takes to send a link by which somebody makes an account. */
export interface SignUpContext {
  readonly storage: Storage
  readonly settings: Pick<Settings, 'issuer' | 'forgot_password_url' | 'sign_in'>
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Queues a mail. */
  readonly send: (request: MailRequest) => Promise<unknown>
}

/** Who asks: what was typed, from where, and in which language. */
export interface SignUpRequest {
  readonly typed: string
  /** An IPv4 address, or the network of an IPv6 address. */
  readonly sender: string
  readonly language: string
}

/** How many links may be asked for in an hour: each leaves a record until it ends. */
export const SIGN_UPS_AN_HOUR = { sender: 10, address: MAILS_AN_HOUR.address, all: 300 } as const

const HOUR = 3600
const PURPOSE = 'sign_up'
const KIND = 'sign_up'

// No username has a space.
const roomOf = ({ key }: EmailAddress): string => `${PURPOSE} ${key}`

/**
 * Sends a link by which the owner of an address makes an account, or says that there is one. Everybody gets the same answer before,
 * so that nobody learns from it whether there is.
 * @throws StorageUnavailable
 */
export async function sendSignUpLink(context: SignUpContext, request: SignUpRequest): Promise<void> {
  const { storage, settings, report, now, send } = context
  const { sender, language } = request
  const to = readEmail(request.typed.trim())
  if (to === undefined) return
  const refused = await countSignUp(storage, to, sender)
  if (refused !== undefined)
    return refused.is_first ? report({ event: 'mails_limited', limit: refused.limit, kind: KIND }) : undefined
  if (await isNameTaken(storage, to.text)) {
    const link = settings.forgot_password_url ?? `${settings.issuer}${PATHS.forgot_password}`
    await send({
      to,
      content: {
        kind: hasOnlyPasskeys(settings) ? 'known_address_passkey' : 'known_address',
        language,
        link,
      },
      ttl: HOUR,
    })
    return
  }
  const link = newLink(evidenceTag(roomOf(to)))
  const created_at = now()
  await storage.evidence.give(link.digest, {
    purpose: PURPOSE,
    step: 'choose',
    browser: '',
    value: to.text,
    // There is no account yet.
    account_state: '',
    account: roomOf(to),
    created_at,
    ends_at: created_at + HOUR * 1000,
  })
  const content = { kind: KIND, language, link: addressOf(settings.issuer, PATHS.welcome, link) } as const
  await send({ to, content, ttl: HOUR })
}

/** Returns the evidence of a link of sendSignUpLink; undefined: it ended. @throws StorageUnavailable */
export async function findSignUp(
  { storage }: { readonly storage: Pick<Storage, 'evidence'> },
  { tag, digest }: Link,
): Promise<KeptEvidence | undefined> {
  const kept = await storage.evidence.read(tag, digest)
  return kept?.purpose === PURPOSE ? kept : undefined
}

async function countSignUp(
  { counters }: Pick<Storage, 'counters'>,
  { key }: EmailAddress,
  sender: string,
): Promise<Refused<keyof typeof SIGN_UPS_AN_HOUR> | undefined> {
  const owners = { sender: counterOf(sender), address: key, all: '' }
  for (const limit of ['sender', 'address', 'all'] as const) {
    const name = hash('sha256', JSON.stringify([limit, owners[limit]]), 'hex')
    const group = limit === 'all' ? 'sign-ups' : 'sign-up'
    const { count } = await counters.countFailure(group, name, HOUR * 1000)
    const max = SIGN_UPS_AN_HOUR[limit]
    if (count > max) return { limit, is_first: count === max + 1 }
  }
  return undefined
}
