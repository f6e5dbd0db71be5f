import { hasDirectory } from '../../config/ldap-settings.ts'
import { hasPasskeys } from '../../config/passkey-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { hasOwnPage, hasPasswords, hasProviders } from '../../config/sign-in-ways.ts'
import { present } from '../../core/present.ts'
import type { Hash } from '../../core/record-hash.ts'
import { shellWord } from '../../core/shell-word.ts'
import { FACTORS } from '../../factors/factors-record.ts'
import { PROVIDER } from '../../providers/provider-record.ts'
import { everyRecord } from '../../storage/indexes.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { passwordState } from '../../users/password-hash.ts'
import { parseUser, type User } from '../../users/user-record.ts'

/** What it takes to find out whether somebody can sign in as a user. */
export interface WayInContext {
  readonly storage: RecordStore
  readonly settings: Settings
}

/** What is left to do for a user: a member of answers, absent if there is nothing. @throws StorageUnavailable */
export async function nextStep(
  context: WayInContext,
  username: string,
  hash: Hash,
): Promise<{ readonly next_step?: string }> {
  return present({ next_step: await noWayIn(context, username, hash) })
}

/**
 * Returns that nobody can sign in as a user yet, and what to do; undefined: somebody can, or nobody shall, as with a
 * record that is disabled.
 * @throws StorageUnavailable
 */
export async function noWayIn(
  context: WayInContext,
  username: string,
  hash: Hash,
): Promise<string | undefined> {
  const { settings } = context
  const parsed = parseUser(username, hash)
  // The page of an application says by its own records who signs in.
  if (!parsed.ok || parsed.record.disabled || settings.login_url !== undefined) return undefined
  if (hasPasswords(settings) && passwordState(hash.password_hash) === 'set') return undefined
  if (hasLink(settings, parsed.record) || (await hasPasskey(context, username))) return undefined
  if (await isLinkedByAddress(context, parsed.record)) return undefined
  return `Nobody can sign in as ${username} yet: ${whatToDo(settings, shellWord(username))}`
}

const hasLink = (settings: Settings, { linked_subjects = [] }: User): boolean =>
  linked_subjects.length > 0 && (hasProviders(settings) || hasDirectory(settings))

async function hasPasskey({ storage, settings }: WayInContext, username: string): Promise<boolean> {
  if (!hasPasskeys(settings) || !hasOwnPage(settings)) return false
  const found = await storage.records.read(FACTORS, username)
  return found?.ok === true && found.record.passkeys.size > 0
}

/** Whether a provider may bring the person by an address that is verified. @throws StorageUnavailable */
async function isLinkedByAddress({ storage, settings }: WayInContext, { claims }: User): Promise<boolean> {
  if (!hasProviders(settings) || !claims.email || claims.email_verified !== 'true') return false
  for await (const { hash } of everyRecord(storage, PROVIDER)) if (hash.links_by_email === 'true') return true
  return false
}

function whatToDo(settings: Settings, username: string): string {
  const link = `redmint user update ${username} --linked-subject says which account elsewhere is the user's`
  if (!hasOwnPage(settings) || (hasDirectory(settings) && !hasPasswords(settings))) return link
  return `redmint user reset-link ${username}`
}
