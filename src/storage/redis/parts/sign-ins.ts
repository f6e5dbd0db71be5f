import { type LastSignIn, lastSignIn, neverSignedIn, type SignIns } from '../../sign-ins.ts'
import type { RedisAccess } from './access.ts'

const MEMBERS_PER_COMMAND = 500

/** The last sign-ins in Redis: a sorted set of usernames by their times. */
export class RedisSignIns implements SignIns {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async add(usernames: readonly string[]): Promise<void> {
    const score = neverSignedIn(Date.now())
    if (usernames.length > 0) await this.#send('zadd', 'NX', ...usernames.flatMap((name) => [score, name]))
  }

  async forget(usernames: readonly string[]): Promise<void> {
    if (usernames.length > 0) await this.#send('zrem', ...usernames)
  }

  of(usernames: readonly string[]): Promise<LastSignIn[]> {
    return Promise.all(
      usernames.map(async (username) => {
        const score = await this.#send<string | null>('zscore', username)
        return lastSignIn(username, score === null ? null : Number(score))
      }),
    )
  }

  async *inactiveSince(time: number): AsyncGenerator<LastSignIn> {
    let from = -time
    /** Those with the score `from` that were found already. */
    let seen = new Set<string>()
    for (let limit = MEMBERS_PER_COMMAND; ; ) {
      const flat = await this.#send<string[]>('zrangebyscore', from, time, 'WITHSCORES', 'LIMIT', 0, limit)
      const found = pairs(flat)
      const fresh = found.filter(({ username }) => !seen.has(username))
      for (const { username, score } of fresh) yield lastSignIn(username, score)
      if (found.length < limit) return
      const last = found.at(-1)?.score ?? from
      // Many have the same time: more of them than one command reads.
      if (last === from) limit *= 2
      seen = new Set(found.flatMap(({ username, score }) => (score === last ? [username] : [])))
      from = last
    }
  }

  #send<T>(name: string, ...args: (string | number)[]): Promise<T> {
    return this.#access.command<T>('sign-ins', name, this.#access.keys.signIns, ...args)
  }
}

function pairs(flat: readonly string[]): { username: string; score: number }[] {
  const found = []
  for (let i = 0; i < flat.length; i += 2) {
    found.push({ username: flat[i] ?? '', score: Number(flat[i + 1]) })
  }
  return found
}
