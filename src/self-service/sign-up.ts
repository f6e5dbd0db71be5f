import { hasOnlyPasskeys } from '../config/passkey-settings.ts'
import type { Settings } from '../config/settings.ts'
import { type EmailAddress, readEmail } from '../core/email-address.ts'
import type { ReportEvent } from '../core/events.ts'
import { addressOf, type Link, newLink } from '../core/link.ts'
import { PATHS } from '../core/paths.ts'
import { countLimits, MAILS_AN_HOUR, roomOf } from '../mail/mail-limits.ts'
import type { OpenedAsk } from '../mail/mail-maker.ts'
import type { MailAsk } from '../mail/mail-requests.ts'
import type { MailRequest } from '../mail/mailer.ts'
import { signUpDonePage, signUpPage } from '../pages/sign-up.ts'
import { evidenceTag, type KeptEvidence } from '../storage/evidence.ts'
import type { Storage } from '../storage/storage.ts'
import { isNameTaken } from '../users/name-taken.ts'
import type { MailForm } from './mail-form.ts'

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

/** What it takes to ask for such a link. */
export interface AskToSignUpContext {
  /** Keeps what was asked for. */
  readonly ask: (ask: MailAsk) => Promise<void>
}

/** How many links may be asked for in an hour: each leaves a record until it ends. As for other mails. */
export const SIGN_UPS_AN_HOUR = {
  sender: MAILS_AN_HOUR.sender,
  address: MAILS_AN_HOUR.address,
  all: { first: 200, further: 100 },
} as const

const HOUR = 3600
const PURPOSE = 'sign_up'
const KIND = 'sign_up'

// No username has a space.
const placeOf = ({ key }: EmailAddress): string => `${PURPOSE} ${key}`

/** Asks for a link by which somebody makes an account: every address may have one. @throws StorageUnavailable */
async function askToSignUp(
  { ask }: AskToSignUpContext,
  asked: Pick<MailAsk, 'typed' | 'language' | 'network' | 'request'>,
): Promise<void> {
  await ask({ form: 'sign_up', kind: KIND, ...asked, is_known: readEmail(asked.typed.trim()) !== undefined })
}

/** The form by which anybody asks for an account, where SIGN_UP is open. */
export const SIGN_UP_FORM: MailForm<AskToSignUpContext> = {
  path: PATHS.sign_up,
  field: 'email',
  needs_request: true,
  page: signUpPage,
  done: signUpDonePage,
  ask: askToSignUp,
}

/**
 * Sends a link by which the owner of an address makes an account, or says that there is one.
 * @throws StorageUnavailable
 */
export async function sendSignUpLink(
  context: SignUpContext,
  { typed, language, nth, request }: OpenedAsk,
): Promise<void> {
  const { storage, settings, report, now, send } = context
  const to = readEmail(typed.trim())
  if (to === undefined) return
  const room = roomOf(nth)
  const { counters } = storage
  const refused =
    (await countLimits(counters, 'sign-up', [['address', to.key, SIGN_UPS_AN_HOUR.address]])) ??
    // Apart from addresses, which strangers make up: no number of them makes it be forgotten.
    (await countLimits(counters, 'sign-ups', [['all', room, SIGN_UPS_AN_HOUR.all[room]]]))
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
      nth,
    })
    return
  }
  const link = newLink(evidenceTag(placeOf(to)))
  const created_at = now()
  await storage.evidence.give(link.digest, {
    purpose: PURPOSE,
    step: 'choose',
    browser: '',
    value: to.text,
    // There is no account yet.
    account_state: '',
    account: placeOf(to),
    created_at,
    ends_at: created_at + HOUR * 1000,
    ...(request && { request }),
  })
  const content = { kind: KIND, language, link: addressOf(settings.issuer, PATHS.welcome, link) } as const
  await send({ to, content, ttl: HOUR, nth })
}

/** Returns the evidence of a link of sendSignUpLink; undefined: it ended. @throws StorageUnavailable */
export async function findSignUp(
  { storage }: { readonly storage: Pick<Storage, 'evidence'> },
  { tag, digest }: Link,
): Promise<KeptEvidence | undefined> {
  const kept = await storage.evidence.read(tag, digest)
  return kept?.purpose === PURPOSE ? kept : undefined
}
