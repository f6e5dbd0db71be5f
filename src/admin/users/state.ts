import { indexAdministrator, isListed } from '../../accounts/administrators.ts'
import { indexedNamesOf, removeSignInName } from '../../accounts/sign-in-names.ts'
import { USER } from '../../accounts/user-kind.ts'
import { readEnabledClient } from '../../clients/client-registry.ts'
import { SILENT } from '../../core/log.ts'
import type { Hash } from '../../core/record-hash.ts'
import { endSessionById } from '../../sessions/end-session.ts'
import { type Ended, endAllOf, sessionsOf } from '../../sessions/session-store.ts'
import { applyChange } from '../apply-change.ts'
import type { AdminContext } from '../operation.ts'
import { AdminError, notFound } from '../problem.ts'
import { assertMayGive } from '../rights.ts'
import { keepingAdministrator, type UserContext } from './change.ts'
import { readUser, rightsOf } from './noun.ts'

/** What ending needs besides. */
export type EndingContext = UserContext & Pick<AdminContext, 'settings'>

/**
 * Ends all sessions of a user, whose clients are told as after a logout, and revokes all codes and tokens.
 * @throws StorageUnavailable
 */
export async function endAllOfUser(
  { storage, settings }: Pick<EndingContext, 'storage' | 'settings'>,
  username: string,
  { sub = '' }: Hash,
): Promise<Ended> {
  const reading = { storage, settings, log: SILENT }
  const clients = { find: (client_id: string) => readEnabledClient(reading, client_id) }
  const names = { subject: sub, username }
  let sessions = 0
  for await (const id of sessionsOf(storage, names)) {
    if ((await endSessionById({ ...reading, clients }, id)) !== undefined) sessions += 1
  }
  const ended = await endAllOf(storage, names)
  return { ...ended, sessions: ended.sessions + sessions }
}

/** Ends everything of a user. @throws AdminError `not_found`, `lacks_right`; StorageUnavailable */
export async function endUser(context: EndingContext, username: string): Promise<Ended> {
  const stored = await readUser(context.storage, username)
  assertMayGive(context.caller, rightsOf(stored))
  const ended = await endAllOfUser(context, username, stored)
  context.report({ event: 'user_ended', username })
  return ended
}

/**
 * Disables a user, and ends everything; enabling restores nothing of it.
 * @param expected a user whose fields have other values, or others besides with `whole`, is not changed
 * @throws AdminError `not_found`, `lacks_right`, `last_administrator`, `stale`; StorageUnavailable
 */
export async function disableUser(
  context: EndingContext,
  username: string,
  expected: { readonly expected?: Hash; readonly whole?: true } = {},
): Promise<Ended> {
  const { storage, caller, report } = context
  const stored = await readUser(storage, username)
  assertMayGive(caller, rightsOf(stored))
  const change = { set: { disabled: 'true' }, ...expected }
  await keepingAdministrator(storage, username, stored, applyChange(stored, change), async () => {
    if ((await storage.records.change(USER, username, change)) === 'missing')
      throw expected.whole ? changedMeanwhile(username) : notFound('user', username)
  })
  if (stored.disabled !== 'true') report({ event: 'user_disabled', username })
  return endAllOfUser(context, username, stored)
}

/** Enables a user. @throws AdminError `not_found`, `lacks_right`; StorageUnavailable */
export async function enableUser({ storage, caller, report }: UserContext, username: string): Promise<void> {
  const stored = await readUser(storage, username)
  assertMayGive(caller, rightsOf(stored))
  if ((await storage.records.change(USER, username, { set: {}, unset: ['disabled'] })) === 'missing')
    throw notFound('user', username)
  if (stored.disabled !== undefined) report({ event: 'user_enabled', username })
  await indexAdministrator(storage, username, isListed(stored))
}

/**
 * Removes a user, and ends everything. The record is removed last: if this fails before, the user is disabled and it can be
 * repeated.
 * @throws AdminError as disableUser; StorageUnavailable
 */
export async function removeUser(
  context: EndingContext,
  username: string,
  expected: { readonly expected?: Hash; readonly whole?: true } = {},
): Promise<Ended> {
  const { storage, report } = context
  const ended = await disableUser(context, username, expected)
  const stored = await readUser(storage, username)
  const names = indexedNamesOf(username, stored)
  await Promise.all([
    ...names.map((name) => removeSignInName(storage, name, username)),
    indexAdministrator(storage, username, false),
  ])
  await storage.records.take(USER, username)
  report({ event: 'user_removed', username })
  return ended
}

const changedMeanwhile = (username: string) =>
  new AdminError('stale', `The user "${username}" was changed at the same time: read it again.`)
