import type { Issuer } from '../issuers/issuer-record.ts'
import { queueEnding } from '../logout/endings-queue.ts'
import { type EndUpstreamContext, endUpstream } from '../providers/end-upstream.ts'
import type { Provider } from '../providers/provider-record.ts'
import type { Storage } from '../storage/storage.ts'
import { grantsOf } from '../tokens/listed-grants.ts'
import { findAccountByEmail, type LinkedAccountContext } from '../users/linked-account.ts'
import { ownerOfLink } from '../users/links.ts'
import { linkOf } from '../users/sign-in-names.ts'
import type { SaidEnd } from './ended-by.ts'
import type { NamedSubject } from './subject.ts'
import { isSameIssuer } from './verify-set.ts'

/** What it takes to end what began by somebody else. */
export interface EndContext extends EndUpstreamContext, LinkedAccountContext {
  readonly storage: Storage
  readonly settings: EndUpstreamContext['settings'] & LinkedAccountContext['settings']
}

/** Whose it was, if that is known. */
export interface MeantPerson {
  readonly username?: string
}

/**
 * Ends what began by a provider of a person or with a session there.
 * @returns undefined: it means nobody whom it may name, or who has anything
 * @throws StorageUnavailable
 */
export async function endByProvider(
  context: EndContext,
  provider: Provider,
  { user, sid, before }: SaidEnd,
): Promise<MeantPerson | undefined> {
  const sub = user && subOf(provider.issuer, user)
  // A person whom only others could name is not one of this provider.
  if (user !== undefined && sub === undefined) return undefined
  return (await endUpstream(context, provider, { sub, sid, before })) ? {} : undefined
}

/** Ends what a trusted issuer vouched for of a person, likewise. It has no sessions here. @throws StorageUnavailable */
export async function endByIssuer(
  context: EndContext,
  record: Issuer,
  said: SaidEnd,
): Promise<MeantPerson | undefined> {
  const username = said.user && (await usernameOf(context, record, said.user))
  if (username === undefined || (await context.storage.lists.count(grantsOf({ username }))) === 0)
    return undefined
  await queueEnding(context.storage, {
    what: 'asserted',
    username,
    issuer: record.issuer,
    before: said.before,
  })
  context.endings?.emit('queued')
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
