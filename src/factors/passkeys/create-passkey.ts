import { hash } from 'node:crypto'
import type { Settings } from '../../config/settings.ts'
import { commit } from '../../core/commit.ts'
import type { ReportEvent } from '../../core/events.ts'
import { randomText } from '../../core/token-string.ts'
import { type Evidence, type EvidenceStore, evidenceTag } from '../../storage/evidence.ts'
import type { User } from '../../users/user-record.ts'
import { type AccountNow, changeAccount, readAccountNow } from '../account-now.ts'
import { accountState } from '../account-state.ts'
import { type FactorsContext, findFactors } from '../change-factors.ts'
import type { Factors, Passkey } from '../factors-record.ts'
import { ALGORITHMS } from './algorithms.ts'
import { readAnswer } from './answer.ts'
import { CHALLENGE_TTL } from './challenge.ts'
import { claimPasskey, releasePasskeys } from './passkey-owner.ts'
import { providerName } from './provider-names.ts'
import { relyingParty } from './relying-party.ts'
import { noteHost } from './settled-host.ts'

/** What it takes to create passkeys. */
export interface CreationContext {
  readonly settings: Pick<Settings, 'issuer' | 'service_name'>
  readonly storage: FactorsContext['storage'] & { readonly evidence: EvidenceStore }
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The browser that creates a passkey. */
export interface CreatingBrowser {
  /** The digest of its browser id (`cookieDigest`). */
  readonly digest: string
  /** What it is called, as `browserName` says. */
  readonly name?: string | undefined
}

/** What came of an answer: `known`: an account has this passkey; `refused`: it took too long, or is not for this. */
export type Addition =
  | { readonly outcome: 'added'; readonly id: string; readonly name: string }
  | { readonly outcome: 'known' | 'refused' }

/** How many passkeys an account can have. */
export const MAX_PASSKEYS = 20

// WebAuthn Level 3 §5.4.3: at most 64 bytes, and nothing that says who it is.
const USER_HANDLE_BYTES = 32
const CHALLENGE_BYTES = 32

/**
 * Returns what the page asks the browser for (WebAuthn Level 3 §5.4), as JSON to put into `data-passkey-options`. Its
 * challenge ends after five minutes, and with each change of the account. Undefined: the account has as many as it can have.
 * @throws StorageUnavailable
 */
export async function creationOptions(
  context: CreationContext,
  user: User,
  browser: CreatingBrowser,
): Promise<object | undefined> {
  const { factors } = await findFactors(context, user.username)
  if (factors.passkeys.size >= MAX_PASSKEYS) return undefined
  const challenge = randomText(CHALLENGE_BYTES)
  const user_handle = factors.user_handle ?? randomText(USER_HANDLE_BYTES)
  const created_at = context.now()
  await context.storage.evidence.give(hash('sha256', challenge, 'base64url'), {
    ...evidenceFor(user, factors, browser, user_handle),
    account: user.username,
    created_at,
    ends_at: created_at + CHALLENGE_TTL * 1000,
  })
  const excludeCredentials = [...factors.passkeys].map(([id, { transports }]) => ({
    type: 'public-key',
    id,
    transports,
  }))
  const owner = { id: user_handle, name: user.username, displayName: user.claims.name ?? user.username }
  return { ...optionsFor(context, owner, challenge), excludeCredentials }
}

/** Whom a new passkey is for, as its keeper shows it (WebAuthn Level 3 §5.4.3). */
interface PasskeyUser {
  readonly id: string
  readonly name: string
  readonly displayName: string
}

/** What a browser is asked for to make a passkey of somebody who has none (WebAuthn Level 3 §5.4). */
export function optionsFor(
  { settings }: Pick<CreationContext, 'settings'>,
  user: PasskeyUser,
  challenge: string,
): object {
  return {
    rp: { id: relyingParty(settings).id, name: settings.service_name },
    user,
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_TTL * 1000,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    excludeCredentials: [],
  }
}

/**
 * Adds the passkey that a page posted. It counts once: the challenge is used up first, the credential id is claimed, and the
 * factors are changed last, so that an end in between leaves no way in.
 * @param posted the field `credential` of the form
 * @param judged the account by which it was found that this may be; absent: as it is now
 * @throws StorageUnavailable
 */
export async function addPasskey(
  context: CreationContext,
  user: User,
  posted: string | undefined,
  browser: CreatingBrowser,
  judged?: AccountNow,
): Promise<Addition> {
  const answer = readAnswer(posted)
  if (answer === undefined) return { outcome: 'refused' }
  const { username } = user
  const { verifyCreation } = await import('./verify.ts')
  const proven = await verifyCreation(answer, relyingParty(context.settings))
  if (proven === undefined) return { outcome: 'refused' }
  const [tag, digest] = [evidenceTag(username), hash('sha256', answer.challenge, 'base64url')]
  const { evidence } = context.storage
  const kept = await evidence.read(tag, digest)
  if (kept === undefined || kept.ends_at <= context.now()) return { outcome: 'refused' }
  const account = judged ?? (await readAccountNow(context, username))
  if (account?.user.sub !== user.sub) return { outcome: 'refused' }
  const { factors } = account
  const user_handle = kept.value
  const expected = evidenceFor(account.user, factors, browser, user_handle)
  if ((await evidence.take(tag, digest, expected)) !== 'taken') return { outcome: 'refused' }
  await noteHost(context)
  if (!(await claimPasskey(context, user, answer.id, context.now()))) return { outcome: 'known' }
  const provider = providerName(proven.aaguid)
  const wanted = provider ?? browser.name ?? 'Passkey'
  const event = { event: 'passkey_added', username, provider } as const
  const name = freeName(factors, wanted)
  const passkey: Passkey = { name, ...proven, created_at: context.now(), transports: answer.transports }
  const passkeys = new Map([...factors.passkeys, [answer.id, passkey]])
  // As it was when the challenge was made, so there are not too many either.
  const added = await commit(context, [event], { sub: user.sub }, (told) =>
    changeAccount(context, account, { factors: { ...factors, user_handle, passkeys }, told }),
  )
  if (added === undefined) {
    await releasePasskeys(context, username, [answer.id])
    return { outcome: 'refused' }
  }
  return { outcome: 'added', id: answer.id, name }
}

function evidenceFor(user: User, factors: Factors, browser: CreatingBrowser, user_handle: string): Evidence {
  return {
    purpose: 'add_passkey',
    step: '',
    browser: browser.digest,
    value: user_handle,
    account_state: accountState(user, factors),
  }
}

/** The name, with a number if another passkey of the account has it. */
export function freeName({ passkeys }: Factors, wanted: string): string {
  const taken = new Set([...passkeys.values()].map(({ name }) => name))
  let name = wanted
  for (let number = 2; taken.has(name); number += 1) name = `${wanted} ${number}`
  return name
}
