import { commit } from '../../core/commit.ts'
import type { Hash } from '../../core/record-hash.ts'
import { type EndedOfUser, endMarks, queueEndings } from '../../logout/end-of-user.ts'
import { forgetUser } from '../../self-service/forget-user.ts'
import type { Change } from '../../storage/records.ts'
import { indexAdministrator, isListed } from '../../users/administrators.ts'
import { USER } from '../../users/user-kind.ts'
import { applyChange } from '../operation/apply-change.ts'
import type { AdminContext } from '../operation/operation.ts'
import { AdminError, notFound } from '../operation/problem.ts'
import { assertMayGive } from '../operation/rights.ts'
import { keepingAdministrator, type UserContext } from './change.ts'
import { readUser, rightsOf } from './record-type.ts'

/** What ending needs besides. */
export type UserEndingContext = UserContext & Pick<AdminContext, 'now' | 'settings' | 'logouts' | 'endings'>

/** How a user must be to be changed: one whose fields have other values, or others besides with `whole`, is not. */
type Expected = Pick<Change, 'expected' | 'whole'>

/** Ends everything of a user. @throws AdminError `not_found`, `lacks_right`; StorageUnavailable */
export async function endUser(context: UserEndingContext, username: string): Promise<EndedOfUser> {
  const { storage, caller } = context
  const { sub, ...stored } = await readUser(storage, username)
  assertMayGive(caller, rightsOf(stored))
  const { before, marks } = endMarks(context)
  const event = { event: 'user_ended', username } as const
  // What somebody was about to add to the account must not come after the end.
  const change = { set: marks, is_counted: true } as const
  const ended = await commit(context, [event], { sub }, (told) =>
    storage.records.change(USER, username, { ...change, told }),
  )
  if (ended === 'missing') throw notFound('user', username)
  return queueEndings(context, username, before)
}

/**
 * Disables a user, and ends everything; enabling restores nothing of it.
 * @returns about how much ended, and the record as it was written
 * @throws AdminError `not_found`, `lacks_right`, `last_administrator`, `stale`; StorageUnavailable
 */
export async function disableUser(
  context: UserEndingContext,
  username: string,
  expected: Expected = {},
): Promise<EndedOfUser & { readonly written: Hash }> {
  const { storage, caller } = context
  const stored = await readUser(storage, username)
  assertMayGive(caller, rightsOf(stored))
  const { before, marks } = endMarks(context)
  const event = { event: 'user_disabled', username } as const
  const events = stored.disabled === 'true' ? [] : [event]
  const change = { set: { disabled: 'true', ...marks }, ...expected }
  const written = applyChange(stored, change, USER)
  const disabled = await commit(context, events, { sub: stored.sub }, (told) =>
    keepingAdministrator(storage, username, stored, written, () =>
      storage.records.change(USER, username, { ...change, told }),
    ),
  )
  if (disabled === 'missing') throw expected.whole ? changedMeanwhile(username) : notFound('user', username)
  return { ...(await queueEndings(context, username, before)), written }
}

/**
 * Enables a user.
 * @returns the record as it was written, and whether that changed anything
 * @throws AdminError `not_found`, `lacks_right`, `stale`; StorageUnavailable
 */
export async function enableUser(
  context: UserContext,
  username: string,
  expected: Expected = {},
): Promise<{ readonly stored: Hash; readonly was_disabled: boolean }> {
  const { storage, caller } = context
  const stored = await readUser(storage, username)
  assertMayGive(caller, rightsOf(stored))
  const event = { event: 'user_enabled', username } as const
  const was_disabled = stored.disabled !== undefined
  const events = was_disabled ? [event] : []
  const change = { set: {}, unset: ['disabled'], ...expected }
  const enabled = await commit(context, events, { sub: stored.sub }, (told) =>
    storage.records.change(USER, username, { ...change, told }),
  )
  if (enabled === 'missing') throw expected.whole ? changedMeanwhile(username) : notFound('user', username)
  await indexAdministrator(storage, username, isListed(stored))
  return { stored: applyChange(stored, change, USER), was_disabled }
}

/**
 * Removes a user, and ends everything. The record is removed last: if this fails before, the user is disabled and it can be
 * repeated.
 * @throws AdminError as disableUser; StorageUnavailable
 */
export async function removeUser(
  context: UserEndingContext,
  username: string,
  expected: Expected = {},
): Promise<EndedOfUser> {
  const { storage, settings, report } = context
  const ended = await disableUser(context, username, expected)
  const stored = await readUser(storage, username)
  await forgetUser({ storage, settings, report }, username, stored)
  return ended
}

const changedMeanwhile = (username: string) =>
  new AdminError('stale', `The user "${username}" was changed at the same time: read it again.`)
