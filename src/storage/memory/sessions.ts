import type { Hash } from '../../core/record-hash.ts'
import { clientField, formatSession, grantField, type SessionRecord } from '../../sessions/session-record.ts'
import { isSessionOf, sessionOf } from '../common.ts'
import type { Changed, Holder, SessionStore, UserNames } from '../storage.ts'
import { MemoryBase } from './base.ts'
import { ExpiringMap } from './expiring-map.ts'
import { asStored, wellFormed } from './records.ts'

/** Signed-in browsers in memory. */
export abstract class MemorySessions extends MemoryBase implements SessionStore {
  readonly #sessions = new ExpiringMap<Hash>(this.now)

  async createSession(id: string, session: SessionRecord, idle_ttl: number): Promise<void> {
    this.assertOpen()
    this.#keep(id, asStored(formatSession(session)), idle_ttl)
  }

  async useSession(id: string, idle_ttl: number): Promise<SessionRecord | undefined> {
    this.assertOpen()
    const hash = this.#sessions.get(wellFormed(id))
    if (hash === undefined) return undefined
    this.#keep(id, hash, idle_ttl)
    return sessionOf(hash)
  }

  async joinSession(id: string, client_id: string, scope: string, grant?: string): Promise<Changed> {
    this.assertOpen()
    if (this.#sessions.get(wellFormed(id)) === undefined) return 'missing'
    const joined = {
      [clientField(client_id)]: scope,
      ...(grant === undefined ? {} : { [grantField(grant)]: client_id }),
    }
    this.#sessions.update(wellFormed(id), (session) => ({ ...session, ...asStored(joined) }))
    return 'ok'
  }

  async endSession(id: string): Promise<SessionRecord | undefined> {
    this.assertOpen()
    const hash = this.#sessions.take(wellFormed(id))
    return hash && sessionOf(hash)
  }

  async *sessionsOf(user: UserNames): AsyncGenerator<string> {
    this.assertOpen()
    yield* this.#heldBy(user)
  }

  /** Ends the sessions of a holder, and says how many there were. */
  protected endSessionsOf(holder: Holder): number {
    const held = this.#heldBy(holder)
    for (const id of held) this.#sessions.take(id)
    return held.length
  }

  #heldBy(holder: Holder): string[] {
    const held = [...this.#sessions.entries()].filter(([, session]) => isSessionOf(session, holder))
    return held.map(([id]) => id)
  }

  #keep(id: string, session: Hash, idle_ttl: number): void {
    const expires = Math.min(this.now() + idle_ttl * 1000, Number(session.ends_at))
    this.#sessions.set(wellFormed(id), session, expires)
  }
}
