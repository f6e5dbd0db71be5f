import type { EventEmitter } from 'node:events'
import type { Settings } from '../config/settings.ts'
import { noteSaidOver } from '../interaction/said-over.ts'
import type { Issuer } from '../issuers/issuer-record.ts'
import { type EndingsContext, endUpstreamSessions, queueEnding } from '../logout/endings.ts'
import type { Provider } from '../providers/provider-record.ts'
import { upstreamLink, upstreamSession, upstreamUser } from '../providers/upstream.ts'
import type { ListKey } from '../storage/lists.ts'
import type { Storage } from '../storage/storage.ts'
import { grantsOf } from '../tokens/listed-grants.ts'
import { findAccountByEmail, type LinkedAccountContext } from '../users/linked-account.ts'
import { ownerOfLink } from '../users/links.ts'
import { linkOf } from '../users/sign-in-names.ts'
import type { SaidEnd } from './ended-by.ts'
import type { NamedSubject } from './subject.ts'
import { isSameIssuer } from './verify-set.ts'

/** What it takes to end what began by somebody else. */
export interface EndContext extends EndingsContext, LinkedAccountContext {
  readonly storage: Storage
  readonly settings: EndingsContext['settings'] &
    LinkedAccountContext['settings'] &
    Pick<Settings, 'receive_signals' | 'sign_in_ttl'>
  /** Told of notices of logouts that are queued; absent: servers look for them within seconds. */
  readonly logouts?: EventEmitter<{ queued: [] }>
  /** Told of what is to be ended in the background; absent: servers look for it within seconds. */
  readonly endings?: EventEmitter<{ queued: [] }>
}

/** Whose it was, if that is known. */
export interface MeantPerson {
  readonly username?: string
}

/**
 * Ends the sessions that began by a provider, of a person or with a session there, with their tokens: none of another
 * provider, and none that began after what it says.
 * @returns undefined: it means nobody whom it may name, or who has anything
 * @throws StorageUnavailable
 */
export async function endByProvider(
  context: EndContext,
  provider: Provider,
  said: SaidEnd,
): Promise<MeantPerson | undefined> {
  const { user, sid, before } = said
  const sub = user && subOf(provider.issuer, user)
  // A person whom only others could name is not one of this provider.
  if (user !== undefined && sub === undefined) return undefined
  const upstream_user = sub === undefined ? undefined : upstreamUser(upstreamLink(provider, sub))
  const upstream_session = sid === undefined ? undefined : upstreamSession(provider, sid)
  const owner = upstream_user ?? upstream_session
  if (owner === undefined) return undefined
  // Before sessions are looked for: a sign-in that is under way meanwhile finds it.
  if (upstream_user !== undefined && sid === undefined) await noteSaidOver(context, upstream_user, before)
  if (await isEmpty(context, { list: 'upstream-sessions', owner })) return undefined
  await endUpstreamSessions(context, { upstream_user, upstream_session, before })
  announce(context)
  return {}
}

/** Ends what a trusted issuer vouched for of a person, likewise. It has no sessions here. @throws StorageUnavailable */
export async function endByIssuer(
  context: EndContext,
  record: Issuer,
  said: SaidEnd,
): Promise<MeantPerson | undefined> {
  const username = said.user && (await usernameOf(context, record, said.user))
  if (username === undefined || (await isEmpty(context, grantsOf({ username })))) return undefined
  await queueEnding(context.storage, {
    what: 'asserted',
    username,
    issuer: record.issuer,
    before: said.before,
  })
  announce(context)
  return { username }
}

/** Returns whom an issuer means, found as by its assertions; also if the account is disabled. */
async function usernameOf(
  context: EndContext,
  { issuer, account_by }: Issuer,
  user: NamedSubject,
): Promise<string | undefined> {
  if (account_by === 'verified_email')
    return user.format === 'email'
      ? (await findAccountByEmail(context, { sub: '', email: user.email, email_verified: true }))?.username
      : undefined
  const sub = subOf(issuer, user)
  const owner = sub === undefined ? 'nobody' : await ownerOfLink(context, linkOf(issuer, sub))
  return typeof owner === 'string' ? undefined : owner.user.username
}

const subOf = (issuer: string, user: NamedSubject): string | undefined =>
  user.format === 'iss_sub' && isSameIssuer(user.iss, issuer) ? user.sub : undefined

const isEmpty = async ({ storage }: EndContext, key: ListKey) => (await storage.lists.count(key)) === 0

function announce({ logouts, endings }: EndContext): void {
  logouts?.emit('queued')
  endings?.emit('queued')
}
