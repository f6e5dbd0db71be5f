import { USER } from '../../src/accounts/user-kind.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { endAllOfUser, JWTS_STAY, sayEnded } from '../end-all.ts'
import type { Report } from '../output.ts'
import type { Opened } from '../run.ts'
import { noSuchUser } from './show.ts'

/**
 * The command `user disable`. It ends everything that was issued for the user; `user enable` does not restore it.
 * @throws Refusal if the user does not exist
 */
export async function disableUser(opened: Opened, username: string): Promise<Report> {
  const ended = await disableAndEnd(opened, username)
  return { text: `The user is disabled. ${ended.text}`, json: { username, disabled: true, ...ended.json } }
}

/**
 * The command `user enable`.
 * @throws Refusal if the user does not exist
 */
export async function enableUser(store: RecordStore, username: string): Promise<Report> {
  const outcome = await store.records.change(USER, username, { set: {}, unset: ['disabled'] })
  if (outcome === 'missing') throw noSuchUser(username)
  return { text: 'The user is enabled. What was ended stays so.', json: { username, disabled: false } }
}

/**
 * The command `user remove`. The record is removed last: if something fails before, the user is disabled and the
 * command can be repeated.
 * @throws Refusal if the user does not exist
 */
export async function removeUser(opened: Opened, username: string): Promise<Report> {
  const ended = await disableAndEnd(opened, username)
  await opened.storage.records.take(USER, username)
  return { text: `The user is removed. ${ended.text}`, json: { username, removed: true, ...ended.json } }
}

async function disableAndEnd(opened: Opened, username: string): Promise<Report> {
  const { storage: store } = opened
  const outcome = await store.records.change(USER, username, { set: { disabled: 'true' }, unset: [] })
  if (outcome === 'missing') throw noSuchUser(username)
  const { sub = '' } = (await store.records.read(USER, username))?.hash ?? {}
  const ended = await endAllOfUser(opened, { subject: sub, username })
  const by = sub === '' ? ' Its record has no sub, so only what has the username could be found.' : ''
  return { text: `${sayEnded(ended)}${by} ${JWTS_STAY}`, json: { ended } }
}
