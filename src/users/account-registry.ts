import type { Sub } from '../core/ids.ts'
import { RecordCache } from '../storage/record-cache.ts'
import type { Storage } from '../storage/storage.ts'
import { EndOfSessions } from './end-of-sessions.ts'
import { asOf } from './provided-groups.ts'
import { type AccountContext, readEnabledAccount } from './read-account.ts'
import { USER } from './user-kind.ts'
import type { User } from './user-record.ts'

/** What the registry works with. */
interface RegistryContext extends AccountContext {
  readonly storage: AccountContext['storage'] & Pick<Storage, 'changes'>
  readonly now: () => number
}

/**
 * Finds enabled accounts. They are cached while storage reports changes of their records. An account says when the sessions
 * of its user were ended, also if those of all users were, and is without groups of a provider that have ended.
 */
export class AccountRegistry {
  readonly #cache: RecordCache<User>
  readonly #now: () => number

  /** @param context `now`: milliseconds since 1970 */
  constructor(context: RegistryContext) {
    this.#now = context.now
    const load = async (username: string) => {
      const [user, end] = await Promise.all([readEnabledAccount(context, username), all_sessions.find()])
      if (user === undefined || end <= (user.sessions_end_before ?? 0)) return user
      return { ...user, sessions_end_before: end }
    }
    this.#cache = new RecordCache(context.storage.changes, USER, load)
    // Last: what it watches can change at once, as where the connection was lost just now.
    const all_sessions = new EndOfSessions(context.storage, () => this.#cache.clear())
  }

  /**
   * Returns the account of a username; undefined in the same cases as readEnabledAccount.
   * @throws StorageUnavailable
   */
  find(username: string): Promise<User | undefined> {
    const user = this.#cache.cached(username)
    // Most are in the cache: their answer takes one promise.
    if (user !== undefined) return Promise.resolve(asOf(user, this.#now()))
    return this.#cache.read(username).then((read) => read && asOf(read, this.#now()))
  }

  /**
   * Returns the account of a user who signed in before; undefined in the same cases as `find`, and if the username
   * belongs to another user now.
   * @throws StorageUnavailable
   */
  async findUser({ username, sub }: { username: string; sub: Sub }): Promise<User | undefined> {
    const user = await this.find(username)
    return user?.sub === sub ? user : undefined
  }
}
