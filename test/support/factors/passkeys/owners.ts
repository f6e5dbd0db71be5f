// Replicas with users, and the passkeys that these make.
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import {
  addPasskey,
  type CreationContext,
  creationOptions,
} from '../../../../src/factors/passkeys/create-passkey.ts'
import { Sealer } from '../../../../src/keys/sealer.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { readAccount } from '../../../../src/users/read-account.ts'
import type { User } from '../../../../src/users/user-record.ts'
import { storeUsers } from '../../accounts.ts'
import { SILENT } from '../../contract/redis-subject.ts'
import { SoftwarePasskey } from '../../software-authenticator.ts'

export const ORIGIN = 'https://auth.example.com'
export const BROWSER = { digest: 'a-browser', name: 'Firefox on Linux' }

/** What functions of passkeys work with. */
export interface Replica {
  readonly storage: Storage
  readonly settings: { readonly issuer: string; readonly service_name: string; readonly demo: false }
  readonly sealer: Sealer
  readonly log: typeof SILENT
  readonly now: () => number
  report(event: SecurityEvent): void
}

/** Makes a passkey as the page of a user does. */
export async function makePasskey(replica: CreationContext, user: User): Promise<SoftwarePasskey> {
  const passkey = new SoftwarePasskey(ORIGIN)
  const options = (await creationOptions(replica, user, BROWSER)) ?? {}
  const added = await addPasskey(replica, user, passkey.create(options), BROWSER)
  if (added.outcome !== 'added') throw new Error(added.outcome)
  return passkey
}

/** Two replicas with one clock, and the users alice and bob. */
export async function replicasWithUsers(t: Test, on: 'memory' | { redis: string }) {
  const clock = { now: 1_800_000_000_000 }
  const now = () => clock.now
  const events: SecurityEvent[] = []
  const memory = new MemoryStorage({ now })
  const prefix = `${randomUUID()}:`
  const start = async (): Promise<Replica> => {
    const storage =
      on === 'memory' ? memory : openRedis({ kind: 'single', url: on.redis }, new RedisKeys(prefix), SILENT)
    if (on !== 'memory') t.teardown(() => storage.close())
    const settings = { issuer: ORIGIN, service_name: 'redmint', demo: false } as const
    const sealer = new Sealer({ store: storage.sealing_keys, settings: {}, log: SILENT, now })
    t.teardown(() => sealer.close())
    await sealer.reload()
    return { storage, settings, sealer, log: SILENT, now, report: (event) => void events.push(event) }
  }
  const [one, other] = [await start(), await start()]
  await storeUsers(one.storage)
  const user = async (username: string): Promise<User> => {
    const found = await readAccount(one, username)
    if (found === undefined) throw new Error(username)
    return found
  }
  return { one, other, clock, events, user, alice: await user('alice'), bob: await user('bob') }
}

const decoded = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
/** What a page asks the browser for. */
export const optionsOn = ({ text }: { readonly text: string }): object =>
  JSON.parse(decoded(/data-passkey-options="([^"]*)"/.exec(text)?.[1] ?? 'null'))
