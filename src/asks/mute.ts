import { commit } from '../core/commit.ts'
import type { ReportEvent } from '../core/events.ts'
import type { ClientId, Sub } from '../core/ids.ts'
import type { Hash } from '../core/record-hash.ts'
import type { Storage } from '../storage/storage.ts'
import { USER } from '../users/user-kind.ts'

/** How many applications a person can keep from asking; one more, and the first one may ask again. */
const MAX_MUTED = 50

/** What it takes to keep clients from asking. */
export interface MuteContext {
  readonly storage: Pick<Storage, 'records'>
  readonly report: ReportEvent
}

/** Whose account it is. */
interface Person {
  readonly username: string
  readonly sub: Sub
}

/** Keeps a client from asking a person, or lets it ask again. @throws StorageUnavailable */
export async function muteClient(
  context: MuteContext,
  { username, sub }: Person,
  { client_id }: { readonly client_id: ClientId },
  is_muted = true,
): Promise<void> {
  const { records } = context.storage
  const name = encodeURIComponent(client_id)
  const event = { event: is_muted ? 'client_muted' : 'client_unmuted', username, sub, client_id } as const
  for (;;) {
    const hash = (await records.read(USER, username))?.hash
    if (hash?.sub !== sub) return
    const { muted_clients } = hash
    const before = (muted_clients ?? '').split(' ').filter((one) => one !== '')
    if (before.includes(name) === is_muted) return
    const others = before.filter((one) => one !== name)
    const next = [...others, ...(is_muted ? [name] : [])].slice(-MAX_MUTED).join(' ')
    const expected: Hash = { sub, ...(muted_clients !== undefined && { muted_clients }) }
    const absent = muted_clients === undefined ? ['muted_clients'] : []
    const set: Hash = next === '' ? {} : { muted_clients: next }
    const unset = next === '' ? ['muted_clients'] : []
    const changed = await commit(context, [event], {}, (told) =>
      records.change(USER, username, { set, unset, expected, absent, told }),
    )
    if (changed === 'ok') return
  }
}
