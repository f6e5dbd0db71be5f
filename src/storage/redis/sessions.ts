import { clientField, formatSession, grantField, type SessionRecord } from '../../sessions/session-record.ts'
import { isSessionOf, sessionOf } from '../common.ts'
import type { Changed, SessionStore, UserNames } from '../storage.ts'
import { flat, unflat } from './base.ts'
import { scanHashesAgain } from './scan.ts'
import { RedisTokens } from './tokens.ts'

/** Signed-in browsers on Redis. */
export abstract class RedisSessions extends RedisTokens implements SessionStore {
  async createSession(id: string, session: SessionRecord, idle_ttl: number): Promise<void> {
    const args = [idle_ttl, session.ends_at, ...flat(formatSession(session))]
    await this.write('create-session', [this.keys.session(id)], args)
  }

  async useSession(id: string, idle_ttl: number): Promise<SessionRecord | undefined> {
    return sessionOf(unflat(await this.run('use-session', [this.keys.session(id)], [idle_ttl])))
  }

  async joinSession(id: string, client_id: string, scope: string, grant?: string): Promise<Changed> {
    const joined = [
      clientField(client_id),
      scope,
      ...(grant === undefined ? [] : [grantField(grant), client_id]),
    ]
    return (await this.write('join-session', [this.keys.session(id)], joined)) as Changed
  }

  async *sessionsOf(user: UserNames): AsyncGenerator<string> {
    const found = this.take(scanHashesAgain(this.connection.client, this.keys.sessions))
    for await (const { name, hash } of found) if (isSessionOf(hash, user)) yield name
  }

  async endSession(id: string): Promise<SessionRecord | undefined> {
    return sessionOf(unflat(await this.write('end-session', [this.keys.session(id)], [])))
  }
}
