import { type CallerContext, callerOf } from '../admin/door/caller.ts'
import type { AdminCaller } from '../admin/operation/operation.ts'
import { parseObject } from '../core/json.ts'
import { ADMIN_PATH } from '../core/paths.ts'
import { FieldReader } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import { findFactors } from '../factors/change-factors.ts'
import { holds } from '../factors/confirmation.ts'
import type { Sealer } from '../keys/sealer.ts'
import { cookieDigest, isCookieValue, newCookieValue } from '../sessions/browser.ts'
import { type Kind, recordOf, write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { validateAccessToken } from '../tokens/access-token.ts'
import type { ValidationContext } from '../tokens/validation.ts'
import { CONSOLE_CLIENT, CONSOLE_TTL } from './client.ts'

/** How long a session is kept without a request, in seconds. */
const IDLE_TTL = 1800

/** A browser in which an operator is signed in; ids are digests of cookies. */
interface ConsoleSession {
  /** The access token for the admin API, sealed together with the id. */
  readonly token: string
  /** Milliseconds since 1970. */
  readonly ends_at: number
  /** When the operator confirmed who it is, in milliseconds since 1970, and the account as it was then. */
  readonly confirmed_at?: string
  readonly confirmed_state?: string
}

const CONSOLE_SESSION: Kind<ConsoleSession> = {
  name: 'console-session',
  ends_at: 'ends_at',
  format: ({ ends_at, ...texts }) => ({ ...texts, ends_at: String(ends_at) }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const [token, ends_at] = [fields.required('token'), fields.required('ends_at')]
    if (fields.problems.length > 0) return { ok: false, problems: fields.problems }
    const confirmed = fields.given(['confirmed_at', 'confirmed_state'])
    return { ok: true, record: { token, ends_at: Number(ends_at), ...confirmed } }
  },
}

export interface ConsoleSessionContext {
  readonly storage: Storage
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
}

/** What a new session has. */
interface NewSession {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly started_at: number
  /** Absent: the operator signed in before. */
  readonly confirmed: { readonly at: number; readonly state: string } | undefined
}

/**
 * Creates a session, and ends the one that the browser had, so that nobody keeps a cookie that he planted.
 * @param former the cookie of that
 * @returns the cookie of the new one
 * @throws StorageUnavailable
 */
export async function createConsoleSession(
  context: ConsoleSessionContext,
  { token, started_at, confirmed }: NewSession,
  former: string | undefined,
): Promise<string> {
  const cookie = newCookieValue()
  const id = cookieDigest(cookie)
  const session: ConsoleSession = {
    token: context.sealer.seal('console', JSON.stringify({ id, token })),
    ends_at: started_at + CONSOLE_TTL * 1000,
    ...(confirmed && { confirmed_at: String(confirmed.at), confirmed_state: confirmed.state }),
  }
  await context.storage.records.create(write(CONSOLE_SESSION, id, session, IDLE_TTL))
  await endConsoleSession(context, former)
  return cookie
}

/** Ends a session with its token. @throws StorageUnavailable */
export async function endConsoleSession(
  context: ConsoleSessionContext,
  cookie: string | undefined,
): Promise<void> {
  if (!isCookieValue(cookie)) return
  const id = cookieDigest(cookie)
  const session = recordOf(await context.storage.records.take(CONSOLE_SESSION, id))
  const token = session && tokenIn(context, id, session)
  if (token !== undefined) await endGrant(context, token)
}

/** Ends what was granted to the console with a token. @throws StorageUnavailable */
export async function endGrant(
  { storage }: Pick<ConsoleSessionContext, 'storage'>,
  token: string,
): Promise<void> {
  const family = parseToken(token)?.family
  if (family !== undefined) await storage.families.revokeFamily(family)
}

/** An operator who is signed in. */
export interface Operator {
  /** With the rights that count now. */
  readonly caller: AdminCaller
  /** The id of the session at the issuer; undefined: the grant does not say it. */
  readonly sid: string | undefined
  /**
   * Whether the operator confirmed who it is within ten minutes, and the account has not changed since.
   * @throws StorageUnavailable
   */
  isConfirmed(): Promise<boolean>
}

export type OperatorContext = ConsoleSessionContext & ValidationContext & CallerContext

/**
 * Returns who is signed in, and keeps the session for another half an hour; undefined: nobody. The token is looked at each
 * time, with its client, its account and its grant.
 * @throws StorageUnavailable
 */
export async function findOperator(
  context: OperatorContext,
  cookie: string | undefined,
): Promise<Operator | undefined> {
  if (!isCookieValue(cookie)) return undefined
  const id = cookieDigest(cookie)
  const found = await context.storage.records.read(CONSOLE_SESSION, id, { idle_ttl: IDLE_TTL })
  const session = recordOf(found)
  // Storage ends it after half an hour without a request, and after eight hours with its token.
  if (session === undefined) return undefined
  const token = tokenIn(context, id, session)
  if (token === undefined) return undefined
  const validated = await validateAccessToken(context, token, true)
  if (!validated.valid || validated.token.client_id !== CONSOLE_CLIENT) return undefined
  const { audience = [], acr = '', grant = {} } = validated.token
  if (!audience.includes(context.settings.issuer + ADMIN_PATH)) return undefined
  const caller = await callerOf(context, validated.token)
  const { sid } = new FieldReader(grant).given(['sid'])
  return { caller, sid, isConfirmed: () => isConfirmed(context, session, { username: caller.id, acr }) }
}

async function isConfirmed(
  context: OperatorContext,
  { confirmed_at, confirmed_state = '' }: ConsoleSession,
  { username, acr }: { readonly username: string; readonly acr: string },
): Promise<boolean> {
  if (confirmed_at === undefined) return false
  const [user, { factors }] = await Promise.all([
    context.accounts.find(username),
    findFactors(context, username),
  ])
  const confirmation = { confirmed_at: Number(confirmed_at), confirmed_state }
  return user !== undefined && holds(context, confirmation, acr, { user, factors })
}

function tokenIn(
  { sealer }: Pick<ConsoleSessionContext, 'sealer'>,
  id: string,
  session: ConsoleSession,
): string | undefined {
  const opened = sealer.open('console', session.token)
  const { id: bound_to, token } = (opened !== undefined && parseObject(opened)) || {}
  // That of another session does not count here.
  return bound_to === id && typeof token === 'string' ? token : undefined
}
