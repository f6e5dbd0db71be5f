import { Type } from '@sinclair/typebox'
import { commit } from '../../core/commit.ts'
import { findFactors } from '../../factors/change-factors.ts'
import { passwordRulesFor } from '../../factors/password-length.ts'
import { endMarks, queueEndings } from '../../logout/end-of-user.ts'
import { type PasswordOwner, type PasswordRules, passwordProblem } from '../../users/password-rules.ts'
import { USER } from '../../users/user-kind.ts'
import { unlockUser } from '../limits.ts'
import { AdminError, notFound } from '../operation/problem.ts'
import { EndedAnswer } from '../users/operations.ts'
import { readUser } from '../users/record-type.ts'
import { hostOperation } from './operation.ts'

/**
 * Sets the password of a user. It ends all sessions, codes and tokens of the user, because a password is usually changed
 * when someone else may know it, and forgets the failures of the user, who may have tried until now.
 */
export const setPassword = hostOperation({
  why: 'A password is set on Redis only: leave --server out, or give the user a link with redmint user reset-link.',
  ends: true,
  body: Type.Object({ username: Type.String(), password: Type.String() }, { additionalProperties: false }),
  answer: EndedAnswer,
  async run(context, { body: { username, password } }) {
    const { storage, settings, passwords } = context
    const { sub = '', email } = await readUser(storage, username)
    const { factors } = await findFactors(context, username)
    assertAccepted(password, passwordRulesFor(settings, factors), { username, email })
    const password_hash = await passwords.hash(password)
    const events = [{ event: 'password_changed', username } as const]
    const { before, marks } = endMarks(context)
    const set = { password_hash, ...marks }
    const outcome = await commit(context, events, { sub }, (told) =>
      storage.records.change(USER, username, { set, told }),
    )
    if (outcome === 'missing') throw notFound('user', username)
    await unlockUser(context, username, sub)
    const { sessions, grants } = await queueEndings(context, username, before)
    // If two operators set a password at the same time, only one of them takes effect.
    if ((await readUser(storage, username)).password_hash !== password_hash)
      throw new AdminError(
        'conflict',
        'Another process changed the password at the same time: repeat the command.',
      )
    return { body: { ended: { sessions, grants } } }
  },
})

/** Checks a password that an operator chose. @throws AdminError `conflict` */
export function assertAccepted(password: string, rules: PasswordRules, owner: PasswordOwner): void {
  const problem = passwordProblem(password, rules, owner)
  if (problem === undefined) return
  const field = { field: 'password', detail: `password ${problem}` }
  throw new AdminError('conflict', `The password ${problem}.`, [field])
}
