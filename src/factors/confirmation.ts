import { present } from '../core/present.ts'
import type { Hash, Parsed } from '../core/record-hash.ts'
import type { LoginStep } from '../interaction/interaction.ts'
import type { RecentProof } from '../interaction/recent-proof.ts'
import { hasEnded } from '../sessions/session.ts'
import { SESSION } from '../sessions/session-record.ts'
import { type ReadableKind, recordOf } from '../storage/records.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { AccountRegistry } from '../users/account-registry.ts'
import type { User } from '../users/user-record.ts'
import { type AccountNow, readAccountNow } from './account-now.ts'
import { accountState } from './account-state.ts'
import { findFactors } from './change-factors.ts'
import type { Factors } from './factors-record.ts'

/** How long "Confirm it is you" holds, in milliseconds. */
export const CONFIRMED_FOR = 600_000

/** That the person at the browser showed who it is, in the record of the session. */
export interface Confirmation {
  /** In milliseconds since 1970. */
  readonly confirmed_at: number
  /** The account as it was then: each change of a way to sign in ends the confirmation. */
  readonly confirmed_state: string
  /** It outlasted a change that was made with it (`keepConfirmed`). */
  readonly is_kept?: boolean
}

const CONFIRMATION: ReadableKind<Confirmation> = { name: SESSION.name, parse: parseConfirmation }
const FIELDS = ['confirmed_at', 'confirmed_state']

/** What follows the state of a confirmation that outlasted a change. */
const KEPT = 'kept'

function parseConfirmation({ confirmed_at = '', confirmed_state: stored = '' }: Hash): Parsed<Confirmation> {
  const [confirmed_state = '', kept] = stored.split(' ')
  return { ok: true, record: { confirmed_at: Number(confirmed_at), confirmed_state, is_kept: kept === KEPT } }
}

/** What it takes to confirm, and to read that. */
export interface ConfirmationContext {
  readonly storage: RecordStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A session of the person. */
interface OwnSession {
  /** What its cookie finds it by. */
  readonly id: string
  readonly acr: string
  readonly amr: string
  /** In milliseconds since 1970. */
  readonly started_at: number
}

/** The acr values of which a confirmation needs one: an account is changed by nothing weaker than its strongest way in. */
export function neededAcr(factors: Factors): readonly string[] {
  const { totp, passkeys } = factors
  if (totp !== undefined) return passkeys.size > 0 ? ['phr', '2'] : ['2', 'phr']
  return takesOnlyPasskeys(factors) ? ['phr'] : []
}

/** Whether nothing but a passkey confirms. */
const takesOnlyPasskeys = ({ totp, passkeys }: Factors): boolean => totp === undefined && passkeys.size > 0

/** Whether a sign-in by this acr is as strong as the strongest way in. */
export function isStrongest(acr: string, factors: Factors): boolean {
  const needed = neededAcr(factors)
  return needed.length === 0 || needed.includes(acr)
}

/**
 * Notes in the session that its person just signed in, if the method of the sign-in did not say that (`account_state`). One
 * sign-in confirms once: its page may be opened again when the account has changed.
 * @throws StorageUnavailable
 */
export async function confirm(
  { storage }: Pick<ConfirmationContext, 'storage'>,
  { id, amr, auth_time }: OwnSession & { readonly auth_time: number },
  state: string,
): Promise<void> {
  if ((await storage.records.read(CONFIRMATION, id, { fields: FIELDS, current: true })) !== undefined) return
  const set = { confirmed_at: String(auth_time * 1000), confirmed_by: amr, confirmed_state: state }
  await storage.records.change(SESSION, id, { set })
}

/** The session of a browser: what finds it, and what it must have, or it counts as missing; absent: any. */
export interface ConfirmedBrowser {
  readonly id: string
  readonly secret?: string
}

/**
 * Lets the confirmation of a browser, if it has one, outlast a change that was made in it. Those of other browsers end, and
 * so does this one with any other change, because it is of the account as this change left it. What is kept lets its person
 * add, and take nothing away: two changes after one confirmation lead no further into an account than one.
 * @param after the account as the change left it, or its generation
 * @throws StorageUnavailable
 */
export async function keepConfirmed(
  { storage }: Pick<ConfirmationContext, 'storage'>,
  { id, secret }: ConfirmedBrowser,
  before: Pick<AccountNow, 'user' | 'factors'>,
  after: { readonly user: User; readonly factors: Pick<Factors, 'generation'> },
): Promise<void> {
  const [was, is] = [before, after].map(({ user, factors }) => accountState(user, factors))
  for (const confirmed_state of [`${was}`, `${was} ${KEPT}`]) {
    const expected = { confirmed_state, ...present({ secret }) }
    const set = { confirmed_state: `${is} ${KEPT}` }
    if ((await storage.records.change(SESSION, id, { expected, set })) === 'ok') return
  }
}

/**
 * Whether a confirmation holds for an account as it is now: it is not older than ten minutes, the sign-in was by the
 * strongest way of the account, and no way in has changed since.
 * @param acr that of the session
 */
export function holds(
  { now }: Pick<ConfirmationContext, 'now'>,
  { confirmed_at, confirmed_state }: Confirmation,
  acr: string,
  { user, factors }: Pick<AccountNow, 'user' | 'factors'>,
): boolean {
  if (!isStrongest(acr, factors)) return false
  return now() - confirmed_at < CONFIRMED_FOR && confirmed_state === accountState(user, factors)
}

/**
 * Returns the account of a session whose user showed at the browser who it is, as far as that holds: what the user does is
 * done only while the account is so (`changeAccount`). Undefined: it does not hold.
 * @param is_for what it is to let the person do; `taking` takes a way in away, or puts one in its place
 * @throws StorageUnavailable
 */
export async function readConfirmed(
  context: ConfirmationContext,
  { session, user: { username, sub } }: { readonly session: OwnSession; readonly user: NamedUser },
  is_for: ConfirmedFor = 'adding',
): Promise<AccountNow | undefined> {
  const { records } = context.storage
  const [found, account] = await Promise.all([
    records.read(CONFIRMATION, session.id, { fields: FIELDS, current: true }),
    readAccountNow(context, username),
  ])
  // The session may have ended since it was read.
  if (account?.user.sub !== sub || hasEnded(session, account.user)) return undefined
  const confirmation = recordOf(found)
  if (is_for === 'taking' && confirmation?.is_kept) return undefined
  return confirmation && holds(context, confirmation, session.acr, account) ? account : undefined
}

/** What a confirmation is for. */
export type ConfirmedFor = 'adding' | 'taking'

type NamedUser = Pick<User, 'username' | 'sub'>

/** What it takes to ask for a confirmation at the endpoints of the protocol. */
type RecentProofParts = ConfirmationContext & { readonly accounts: Pick<AccountRegistry, 'findUser'> }

/**
 * Returns what asks for a confirmation before a grant gives rights to change others: the rule of the account page and
 * the console.
 */
export function recentProof(context: RecentProofParts): RecentProof {
  return {
    async missing(session, is_new) {
      const user = await context.accounts.findUser(session)
      // The next request ends the session.
      if (user === undefined) return { step: 'login' }
      const { factors } = await findFactors(context, user.username)
      const is_strong = isStrongest(session.acr, factors)
      if (is_new && is_strong) await confirm(context, session, accountState(user, factors))
      if ((await readConfirmed(context, { session, user })) !== undefined) return undefined
      return { ...loginFor(user, factors, is_new && !is_strong), is_for_rights: true }
    },
  }
}

/**
 * Returns the sign-in by which a person confirms.
 * @param is_step_up a weaker one was just now: only the rest is asked for
 */
export function loginFor(
  { linked_subjects: links = [] }: Pick<User, 'linked_subjects'>,
  factors: Factors,
  is_step_up: boolean,
): LoginStep {
  const ways = { links, has_passkey: factors.passkeys.size > 0 }
  const confirms = takesOnlyPasskeys(factors) ? 'by_passkey' : 'anyhow'
  return { step: 'login', acr_values: neededAcr(factors), is_step_up, confirms, ways, max_age: 0 }
}
