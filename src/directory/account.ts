import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import type { Failure } from '../interaction/sign-in-method.ts'
import type { Storage } from '../storage/storage.ts'
import { ownerOfLink } from '../users/links.ts'
import { isNameTaken } from '../users/name-taken.ts'
import { insertUser, newSub } from '../users/new-user.ts'
import { ownerOfAddress, type ReadUser } from '../users/owner-of-address.ts'
import { refreshUser } from '../users/refresh-user.ts'
import { USER } from '../users/user-kind.ts'
import { isUsername, parseUser, type User } from '../users/user-record.ts'
import { NAME } from './name.ts'
import type { Person } from './person.ts'

/** What it takes to find and make the accounts of people in a directory. */
export interface DirectoryAccountContext {
  readonly storage: Storage
  readonly report: ReportEvent
  readonly settings: Pick<Settings, 'ldap_creates_users' | 'ldap_email_verified' | 'demo'>
}

/** Why somebody whom the directory lets in is nobody here. */
export type DirectoryRefusal = 'no_account' | 'known' | 'several' | 'busy' | 'unreadable'

/**
 * Returns the failure of somebody whom the directory lets in: nothing was guessed, so it does not count, and the page
 * says why.
 */
export function failureOf(refusal: DirectoryRefusal): Failure {
  const facts = { code: refusal }
  return {
    outcome: 'failed',
    reason: 'upstream_account',
    problem: `${NAME}_${refusal}`,
    facts,
    is_forgiven: true,
  }
}

/**
 * Returns the account of a person, with what the directory says now. It is the one that is linked to the entry; another
 * one with the same name or address is never taken over.
 * @throws StorageUnavailable
 */
export async function accountOf(
  context: DirectoryAccountContext,
  person: Person,
): Promise<User | DirectoryRefusal> {
  const owner = await ownerOfLink(context, person.link)
  if (owner === 'several') return 'several'
  if (owner === 'nobody') return context.settings.ldap_creates_users ? create(context, person) : 'no_account'
  if (owner.user.demo && !context.settings.demo) return 'no_account'
  // Nobody signs in to an account that is disabled.
  return owner.user.disabled ? owner.user : refresh(context, owner, person)
}

/**
 * Returns an account that is linked to the entry of a person, with what the directory says now.
 * @throws StorageUnavailable
 */
export async function asDescribed(
  context: DirectoryAccountContext,
  username: string,
  person: Person,
): Promise<User | DirectoryRefusal> {
  const found = await context.storage.records.read(USER, username)
  if (!found?.ok || !found.record.linked_subjects?.includes(person.link)) return 'busy'
  const { record: user, hash } = found
  return user.disabled ? user : refresh(context, { user, hash }, person)
}

async function create(context: DirectoryAccountContext, person: Person): Promise<User | DirectoryRefusal> {
  const { storage, settings } = context
  const { username, email, link, fields } = person
  if (username === undefined || !isUsername(username)) return 'unreadable'
  const owner = email && (await ownerOfAddress(storage, email))
  if (owner !== undefined || (await isNameTaken(storage, username))) return 'known'
  const address = email && { email: email.text, email_verified: String(settings.ldap_email_verified) }
  const hash = { ...fields, ...address, sub: newSub(), linked_subjects: link }
  const parsed = parseUser(username, hash)
  if (!parsed.ok) return 'unreadable'
  return (await insertUser(context, username, hash, { is_address_own: true })) === 'ok'
    ? parsed.record
    : 'busy'
}

async function refresh(
  context: DirectoryAccountContext,
  owner: ReadUser,
  person: Person,
): Promise<User | DirectoryRefusal> {
  const { storage, settings } = context
  const address = settings.ldap_email_verified && (await addressOf(storage, owner.user, person))
  const refreshed = await refreshUser(context, owner, { set: { ...person.fields, ...address } })
  if ('user' in refreshed) return refreshed.user
  return refreshed.problem === 'busy' ? 'busy' : 'unreadable'
}

/** The address in the directory, unless it is that of another account. */
async function addressOf(storage: Storage, user: User, { email }: Person): Promise<Hash> {
  if (email === undefined) return {}
  const owner = await ownerOfAddress(storage, email)
  const is_free = owner === undefined || (owner !== 'several' && owner.user.username === user.username)
  const is_name = await isNameTaken(storage, email.text, user.username)
  return is_free && !is_name ? { email: email.text, email_verified: 'true' } : {}
}
