import { hasScope } from '../../core/admin-scopes.ts'
import type { Hash } from '../../core/record-hash.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { indexedNamesOf, namesOf, SIGN_IN_NAME } from '../../users/sign-in-names.ts'
import { USER } from '../../users/user-kind.ts'
import type { RecordFinding } from '../operation/findings.ts'
import type { AdminContext } from '../operation/operation.ts'

/** Folded names, each with the usernames that it may stand for. */
class Names {
  readonly #usernames = new Map<string, Set<string>>()

  add(name: string, username: string): void {
    const usernames = this.#usernames.get(name) ?? new Set()
    this.#usernames.set(name, usernames.add(username))
  }

  has(name: string, username: string): boolean {
    return this.#usernames.get(name)?.has(username) ?? false
  }

  /** The usernames of a name. */
  of(name: string): string[] {
    return [...(this.#usernames.get(name) ?? [])]
  }

  pairs(): [name: string, username: string][] {
    return [...this.#usernames].flatMap(([name, usernames]) =>
      [...usernames].map((username): [string, string] => [name, username]),
    )
  }
}

/** Compares the names of users with each other and with the index. */
export class NameCheck {
  readonly #held = new Names()
  /** All that users may be found by: names, subs and links. */
  readonly #findable = new Names()
  readonly #indexed = new Names()

  /** Adds a user record. */
  addUser(username: string, hash: Hash): void {
    for (const name of namesOf(username, hash)) this.#held.add(name, username)
    for (const name of [...namesOf(username, hash), ...indexedNamesOf(username, hash)])
      this.#findable.add(name, username)
  }

  /** Adds a name of the index with its fields. */
  addIndexed(name: string, hash: Hash): void {
    for (const username of Object.keys(hash)) this.#indexed.add(name, username)
  }

  /** Names that are missing in the index, that are in it for the wrong user, and that several users have. */
  findings(): RecordFinding<'username'>[] {
    const held = this.#held.pairs()
    const missing = held
      .filter(([name, username]) => name !== username && !this.#indexed.has(name, username))
      .map(([name, username]) =>
        warning(username, `"${name}" is not in the index, so nobody signs in by it: ${REPAIR}`),
      )
    const stale = this.#indexed
      .pairs()
      .filter(([name, username]) => !this.#findable.has(name, username))
      .map(([name, username]) =>
        warning(username, `"${name}" is in the index, but this user does not have it: ${REPAIR}`),
      )
    const shared = held.flatMap(([name, username]) => {
      const also = this.also(name, username)
      return also === undefined ? [] : [warning(username, `${also}: ${ONLY_AS_STORED}`)]
    })
    return [...missing, ...stale, ...shared]
  }

  /** Says which others have a name of a user; undefined: nobody. */
  also(name: string, username: string): string | undefined {
    const others = this.#held.of(name).filter((other) => other !== username)
    if (others.length === 0) return undefined
    return `"${name}" also belongs to ${others.map((other) => `"${other}"`).join(', ')}`
  }
}

const ONLY_AS_STORED = 'only the username typed as it is stored signs in'
const REPAIR = 'run redmint user reindex'

function warning(username: string, problem: string): RecordFinding<'username'> {
  return { level: 'warning', username, field: SIGN_IN_NAME.name, problem }
}

/** Returns the findings about the names of one user. @throws StorageUnavailable */
export async function checkNamesOf(
  store: RecordStore,
  username: string,
  hash: Hash,
): Promise<RecordFinding<'username'>[]> {
  const check = await lookUpNames(store, username, hash)
  return check.findings().filter((finding) => finding.username === username)
}

/**
 * Returns what an answer says of the names of a user whose record was written: others who have them, or why the address
 * is none. An e-mail address counts before it is verified, too. Who may not read users hears nothing of others.
 * @throws StorageUnavailable
 */
export async function nameWarnings(
  { storage: store, caller }: Pick<AdminContext, 'storage' | 'caller'>,
  username: string,
  hash: Hash,
): Promise<{ readonly warnings?: string[] }> {
  if (!hasScope(caller.scopes, 'redmint:users:read')) return {}
  const warnings = await warningsOf(store, username, hash)
  return warnings.length === 0 ? {} : { warnings }
}

async function warningsOf(store: RecordStore, username: string, hash: Hash): Promise<string[]> {
  const verified = { ...hash, email_verified: 'true' }
  const check = await lookUpNames(store, username, verified)
  const names = namesOf(username, hash)
  const shared = [...namesOf(username, verified)].flatMap((name) => {
    const also = check.also(name, username)
    if (also === undefined) return []
    const effect = names.has(name) ? ONLY_AS_STORED : 'if it is verified here, too, neither signs in by it'
    return [`${also}: ${effect}.`]
  })
  // An address that others have, too, is not to be verified here as well.
  if (shared.length > 0) return shared
  const unusable = unusableAddress(username, hash)
  return unusable === undefined ? [] : [`email_verified ${unusable}.`]
}

/** Returns why nobody can sign in with the e-mail address of a user, unless the record says that it is not verified. */
export function unusableAddress(username: string, { email, email_verified }: Hash): string | undefined {
  if (!email) return undefined
  if (email_verified === undefined) {
    return `is missing, so nobody can sign in as ${email}: if the address is that of the user, redmint user update ${shellWord(username)} --email-verified`
  }
  const is_name = email_verified !== 'true' || namesOf('', { email, email_verified }).size > 0
  return is_name
    ? undefined
    : `is true, but nobody can sign in as ${email}, which does not have the form of a username`
}

async function lookUpNames({ records }: RecordStore, username: string, hash: Hash): Promise<NameCheck> {
  const check = new NameCheck()
  check.addUser(username, hash)
  for (const name of namesOf(username, hash)) {
    const index = (await records.read(SIGN_IN_NAME, name))?.hash ?? {}
    check.addIndexed(name, index)
    for (const other of [name, ...Object.keys(index)]) {
      const found = await records.read(USER, other)
      if (found !== undefined) check.addUser(other, found.hash)
    }
  }
  return check
}
