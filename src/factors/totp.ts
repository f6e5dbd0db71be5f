import { hash, randomBytes } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import { commit } from '../core/commit.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Sealer } from '../keys/sealer.ts'
import { type AccountNow, changeAccount, readAccountNow } from './account-now.ts'
import { accountState } from './account-state.ts'
import { changeFactors } from './change-factors.ts'
import { type FactorKeyContext, sealFactor } from './factor-key.ts'
import type { Factors } from './factors-record.ts'
import { makeRecoveryCodes, recoveryDigest } from './recovery-codes.ts'
import { SECRET_BYTES, setUpOf, stepOf, type TotpSetUp } from './totp-code.ts'

/** What the functions of the second step work with. */
export interface SecondStepContext extends FactorKeyContext {
  readonly settings: FactorKeyContext['settings'] & Pick<Settings, 'service_name'>
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  readonly report: ReportEvent
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** An authenticator app that is being set up. */
export interface BegunTotp extends TotpSetUp {
  /** The secret, sealed: what the form sends back. It ends after half an hour, and with each change of the account. */
  readonly begun: string
}

const SET_UP_MS = 30 * 60_000

/**
 * Begins to set up an authenticator app. Nothing is stored: the page keeps what was begun.
 * @throws StorageUnavailable
 */
export async function beginTotp(context: SecondStepContext, username: string): Promise<BegunTotp> {
  const account = await readAccountNow(context, username)
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const ends_at = context.now() + SET_UP_MS
  const begun = context.sealer.seal(
    'second-step-setup',
    [ownerOf(username), account === undefined ? '' : stateOf(account), secret, ends_at].join(' '),
  )
  return { begun, ...shownTo(context, username, secret) }
}

/**
 * Shows again what was begun; undefined if it ended, or is not of this account.
 * @throws StorageUnavailable
 */
export function begunTotp(
  context: SecondStepContext,
  username: string,
  begun: string,
): BegunTotp | undefined {
  const opened = openBegun(context, username, begun)
  return opened && { begun, ...shownTo(context, username, opened.secret) }
}

/**
 * Adds the authenticator app, or puts it in the place of the one before, if its code is right. The code counts only once.
 * @param judged the account by which it was found that this may be; absent: as it is now
 * @returns `ended`: it took too long, or the account changed: begin anew
 * @throws StorageUnavailable; StoredKeyError
 */
export async function confirmTotp(
  context: SecondStepContext,
  username: string,
  begun: string,
  code: string,
  judged?: AccountNow,
): Promise<'confirmed' | 'wrong' | 'ended'> {
  const opened = openBegun(context, username, begun)
  const account = judged ?? (await readAccountNow(context, username))
  if (opened === undefined || account === undefined || opened.state !== stateOf(account)) return 'ended'
  const secret = Buffer.from(opened.secret, 'base64url')
  const created_at = context.now()
  const last_step = stepOf(secret, code, created_at)
  if (last_step === undefined) return 'wrong'
  const added = { secret: await sealFactor(context, username, secret), created_at, last_step, failures: 0 }
  const event = { event: 'second_step_added', username } as const
  const { user, factors } = account
  const has_since = factors.totp && (factors.totp.has_since ?? factors.totp.created_at)
  const totp = { ...added, ...(has_since !== undefined && { has_since }) }
  const changed = await commit(context, [event], { sub: user.sub }, (told) =>
    changeAccount(context, account, { factors: { ...factors, totp }, told }),
  )
  return changed === undefined ? 'ended' : 'confirmed'
}

/**
 * Removes the authenticator app, and the recovery codes, which only stand in for it. Returns whether there was one.
 * @throws StorageUnavailable
 */
export async function removeTotp(
  context: Pick<SecondStepContext, 'storage' | 'report'>,
  username: string,
): Promise<boolean> {
  const changed = await changeFactors(
    context,
    username,
    (factors) => (factors.totp === undefined ? undefined : withoutSecondStep(factors)),
    () => [{ event: 'second_step_removed', username }],
  )
  return changed !== undefined
}

/**
 * Makes ten recovery codes, which are shown now and never again; those before end. Undefined if there is no second step
 * that they could stand in for, or the account changed.
 * @param judged as in confirmTotp
 * @throws StorageUnavailable
 */
export async function newRecoveryCodes(
  context: Pick<SecondStepContext, 'storage' | 'report' | 'now'>,
  username: string,
  judged?: AccountNow,
): Promise<readonly string[] | undefined> {
  const account = judged ?? (await readAccountNow(context, username))
  if (account?.factors.totp === undefined) return undefined
  const codes = makeRecoveryCodes()
  const digests = codes.map((code) => recoveryDigest(username, code))
  const recovery = { digests, used: [], created_at: context.now() }
  const event = { event: 'recovery_codes_made', username } as const
  const { user, factors } = account
  const changed = await commit(context, [event], { sub: user.sub }, (told) =>
    changeAccount(context, account, { factors: { ...factors, recovery }, told }),
  )
  return changed && codes
}

const stateOf = ({ user, factors }: AccountNow): string => accountState(user, factors)

/** The factors without an authenticator app and its recovery codes. */
export function withoutSecondStep({ totp, recovery, ...others }: Factors): Factors {
  return others
}

function shownTo(
  { settings: { service_name } }: SecondStepContext,
  username: string,
  secret: string,
): TotpSetUp {
  return setUpOf(Buffer.from(secret, 'base64url'), { service_name, username })
}

function openBegun(
  { sealer, now }: SecondStepContext,
  username: string,
  begun: string,
): { state: string; secret: string } | undefined {
  const [owner, state = '', secret = '', ends_at] = sealer.open('second-step-setup', begun)?.split(' ') ?? []
  if (owner !== ownerOf(username) || Number(ends_at) <= now()) return undefined
  return { state, secret }
}

// A username may have a thousand bytes.
const ownerOf = (username: string): string => hash('sha256', username, 'base64url')
