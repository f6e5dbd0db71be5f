import { forgetUser } from '../../src/account/forget-user.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { applyChange } from '../../src/admin/apply-change.ts'
import { describeEnded } from '../../src/admin/end-all.ts'
import { keepingAdministrator } from '../../src/admin/users/change.ts'
import { readUser } from '../../src/admin/users/noun.ts'
import type { UserEnded } from '../../src/admin/users/operations.ts'
import { reportAll, toldOf } from '../../src/core/events.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import type { Calls } from '../calls.ts'
import { endAllOfUser, JWT_NOTE } from '../end-all.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { noSuchUser } from './show.ts'

/**
 * The command `user disable`. It ends all sessions, codes and tokens of the user; `user enable` does not restore them.
 * @throws Refusal if the user does not exist
 */
export async function disableUser({ call, host }: Calls, username: string): Promise<Report> {
  const ended =
    host === undefined
      ? endedByMarks(await call('disable_user', { params: { username } }))
      : await disableAndEnd(host, username)
  return { text: `The user is disabled. ${ended.text}`, json: { username, disabled: true, ...ended.json } }
}

/** The command `user end`: ends all sessions, codes and tokens of the user, who can sign in again. */
export async function endUser({ call }: Calls, username: string): Promise<Report> {
  const ended = endedByMarks(await call('end_user', { params: { username } }))
  return { text: ended.text, json: { username, ...ended.json } }
}

/**
 * The command `user enable`.
 * @throws Refusal if the user does not exist
 */
export async function enableUser({ call }: Calls, username: string): Promise<Report> {
  await call('enable_user', { params: { username } })
  return {
    text: 'The user is enabled. Ended sessions and revoked tokens are not restored.',
    json: { username, disabled: false },
  }
}

/**
 * The command `user remove`. The record is removed last, after its names in the index: if the command fails, the user is
 * disabled and the command can be repeated.
 * @throws Refusal if the user does not exist
 */
export async function removeUser({ call, host }: Calls, username: string): Promise<Report> {
  const ended =
    host === undefined
      ? endedByMarks(await call('delete_user', { params: { username } }))
      : await removeAndEnd(host, username)
  return { text: `The user is removed. ${ended.text}`, json: { username, removed: true, ...ended.json } }
}

/**
 * Ends everything of a user, and removes the record.
 * @param expected a user whose fields have other values counts as missing
 * @throws AdminError `not_found`, `last_administrator`
 */
export async function removeAndEnd(
  context: CommandContext,
  username: string,
  expected: Hash = {},
): Promise<Pick<Report, 'text' | 'json'>> {
  const ended = await disableAndEnd(context, username, expected)
  const { storage, report, config } = context
  await forgetUser(
    { storage, report, settings: config.settings },
    username,
    await readUser(context.storage, username),
  )
  return ended
}

/** Reports what an operation ended: codes end with their sign-ins, and are not counted. */
function endedByMarks({ ended: { sessions, grants } }: UserEnded): Pick<Report, 'text' | 'json'> {
  const ended = { sessions, grants, codes: 0, tokens: 0 }
  return { text: `${describeEnded(ended)} ${JWT_NOTE}`, json: { ended } }
}

async function disableAndEnd(
  context: CommandContext,
  username: string,
  expected: Hash = {},
): Promise<Report> {
  const { storage: store } = context
  const before = await readUser(store, username)
  const event = { event: 'user_disabled', username } as const
  const events = before.disabled === 'true' ? [] : [event]
  const told = toldOf(context.report, events, { sub: before.sub })
  const disabled = { set: { disabled: 'true' }, unset: [], expected, told }
  const wanted = applyChange(before, disabled)
  const outcome = await keepingAdministrator(store, username, before, wanted, () =>
    store.records.change(USER, username, disabled),
  )
  if (outcome === 'missing') throw noSuchUser(username)
  reportAll(context.report, events)
  const { sub = '' } = (await store.records.read(USER, username))?.hash ?? {}
  const ended = await endAllOfUser(context, { subject: sub, username })
  const note =
    sub === ''
      ? ' Its record has no sub, so only sessions, codes and tokens with the username were found.'
      : ''
  return { text: `${describeEnded(ended)}${note} ${JWT_NOTE}`, json: { ended } }
}
