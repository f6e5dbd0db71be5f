import type { LogoutNotice, LogoutQueue } from '../storage.ts'
import { RedisPending } from './pending.ts'

/** Logouts that clients have yet to hear of, in a sorted set by the instant at which they are due. */
export abstract class RedisLogouts extends RedisPending implements LogoutQueue {
  async queueLogouts(notices: readonly LogoutNotice[]): Promise<void> {
    if (notices.length === 0) return
    await this.write('queue-logouts', [this.keys.logouts], notices.map(format))
  }

  async claimLogouts(max: number, lease: number): Promise<LogoutNotice[]> {
    const members = (await this.run('claim-logouts', [this.keys.logouts], [max, lease])) as string[]
    const read = members.map((member) => ({ member, notice: parse(member) }))
    const unusable = read.filter(({ notice }) => notice === undefined).map(({ member }) => member)
    if (unusable.length > 0) {
      await this.#remove(...unusable)
      this.log.warn({ count: unusable.length }, 'Logout notices that nobody can read were removed.')
    }
    return read.flatMap(({ notice }) => notice ?? [])
  }

  async finishLogout(notice: LogoutNotice): Promise<void> {
    await this.#remove(format(notice))
  }

  async putOffLogout(notice: LogoutNotice, delay: number): Promise<void> {
    const later = { ...notice, attempts: notice.attempts + 1 }
    await this.run('put-off-logout', [this.keys.logouts], [format(notice), format(later), delay])
  }

  async #remove(...members: string[]): Promise<void> {
    await this.ask(() => this.connection.client.zrem(this.keys.logouts, ...members), [this.keys.logouts])
  }
}

// The same notice is always the same text: that is how it is found in the set.
function format({ id, client_id, sub, sid, attempts }: LogoutNotice): string {
  return JSON.stringify({ id, client_id, sub, sid, attempts })
}

/** A member as it was written; undefined where somebody wrote another by hand. */
function parse(member: string): LogoutNotice | undefined {
  try {
    const notice = JSON.parse(member) as LogoutNotice
    return typeof notice === 'object' && format(notice) === member && isWhole(notice) ? notice : undefined
  } catch {
    return undefined
  }
}

function isWhole({ id, client_id, sub, sid, attempts }: LogoutNotice): boolean {
  const texts: unknown[] = [id, client_id, sub, sid]
  return texts.every((text) => typeof text === 'string') && Number.isSafeInteger(attempts)
}
