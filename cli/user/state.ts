import { describeEnded } from '../../src/admin/operation/end-all.ts'
import type { UserEnded } from '../../src/admin/users/operations.ts'
import type { Calls } from '../calls.ts'
import { JWT_NOTE } from '../end-all.ts'
import type { Report } from '../output.ts'
import { withNextStep } from './next-step.ts'

/**
 * The command `user disable`. It ends all sessions, codes and tokens of the user; `user enable` does not restore them.
 * @throws Refusal if the user does not exist
 */
export async function disableUser({ call }: Calls, username: string): Promise<Report> {
  const ended = endedByMarks(await call('disable_user', { params: { username } }))
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
  const answer = await call('enable_user', { params: { username } })
  const report = {
    text: 'The user is enabled. Ended sessions and revoked tokens are not restored.',
    json: { username, disabled: false },
  }
  return withNextStep(report, answer)
}

/**
 * The command `user remove`. The record is removed last, after its names in the index: if the command fails, the user is
 * disabled and the command can be repeated.
 * @throws Refusal if the user does not exist
 */
export async function removeUser({ call }: Calls, username: string): Promise<Report> {
  const ended = endedByMarks(await call('delete_user', { params: { username } }))
  return { text: `The user is removed. ${ended.text}`, json: { username, removed: true, ...ended.json } }
}

/** Reports what an operation ended. */
function endedByMarks({ ended }: UserEnded): Pick<Report, 'text' | 'json'> {
  return { text: `${describeEnded(ended)} ${JWT_NOTE}`, json: { ended } }
}
