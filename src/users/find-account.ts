import { foldName, nameForm } from '../core/visible-text.ts'
import { type AccountContext, readAccount } from './read-account.ts'
import { namesOf, SIGN_IN_NAME } from './sign-in-names.ts'
import { USER } from './user-kind.ts'
import { isUsername, type User } from './user-record.ts'

/** What a name that somebody typed stands for. */
export interface NamedAccount {
  /** The name that failures are counted under: the username, or the folded name if no user has it. */
  readonly name: string
  /** The account; it may be disabled. */
  readonly user?: User
}

/** A typed name that was looked up. */
export interface LookedUp {
  /** The only username that it can stand for; the folded name if there is no such username, or several. */
  readonly candidate: string
  readonly folded: string
  /** Whether the candidate is a username that was found. */
  readonly is_found: boolean
}

/**
 * Finds the account of a username or a verified e-mail address, as people see it, in any case. A username that is typed in
 * the case in which it is stored wins; otherwise a name of several users finds no account. The commands to storage depend
 * only on what was typed, and not on whether there is such an account.
 * @throws StorageUnavailable
 */
export async function findAccount(context: AccountContext, typed: string): Promise<NamedAccount> {
  return readCandidate(context, await lookUp(context, typed))
}

/** The first half of findAccount. @throws StorageUnavailable */
export async function lookUp({ storage }: AccountContext, typed: string): Promise<LookedUp> {
  const form = nameForm(typed)
  const folded = foldName(typed)
  // A name that no record can have is not looked up.
  if (!isUsername(form) || !isUsername(folded)) return { candidate: folded, folded, is_found: false }
  const { records } = storage
  const [exact, lower, index] = await Promise.all([
    records.read(USER, form),
    form === folded ? undefined : records.read(USER, folded),
    records.read(SIGN_IN_NAME, folded),
  ])
  const indexed = index?.ok ? index.record : []
  const candidates = exact ? [form] : [...new Set([...(lower ? [folded] : []), ...indexed])]
  const only = candidates.length === 1 ? candidates[0] : undefined
  return { candidate: only ?? folded, folded, is_found: only !== undefined }
}

/** The second half of findAccount. @throws StorageUnavailable */
export async function readCandidate(
  context: AccountContext,
  { candidate, folded, is_found }: LookedUp,
): Promise<NamedAccount> {
  // Also if none was found, so that this takes as long.
  const user = await readAccount(context, candidate)
  return is_found && user !== undefined && namesOf(candidate, user.claims).has(folded)
    ? { name: user.username, user }
    : { name: folded }
}
