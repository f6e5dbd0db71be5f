import { AdminError } from '../../src/admin/operation/problem.ts'
import { changeUser } from '../../src/admin/users/change.ts'
import { commit } from '../../src/core/commit.ts'
import type { SecurityEvent } from '../../src/core/events.ts'
import { groupsOf } from '../../src/core/groups.ts'
import {
  giveFactors,
  type MovingContext,
  movableProblems,
  readMovable,
  takenPasskeys,
} from '../../src/factors/moved-factors.ts'
import { endMarks } from '../../src/logout/end-of-user.ts'
import { looksLike, namesakesOf } from '../../src/users/namesakes.ts'
import { insertUser } from '../../src/users/new-user.ts'
import { wasRemoved } from '../../src/users/removed-sub.ts'
import { usernamesOfSub } from '../../src/users/sign-in-names.ts'
import { USER } from '../../src/users/user-kind.ts'
import { adminContext } from '../admin-context.ts'
import type { CommandContext } from '../command-context.ts'
import { endMarked } from '../end-all.ts'
import { PARALLEL } from '../import.ts'
import { type Content, changeTo, differingFields, type MovedKind, recordProblem } from './kind.ts'
import { plainKind } from './plain-kind.ts'

const plain = plainKind({ name: 'user', kind: USER })

/** Users, with what they have besides a password. */
export const MOVED_USER: MovedKind = {
  async *all(context, left_out) {
    for await (const some of groupsOf(plain.all(context, left_out), PARALLEL)) {
      const found = await Promise.all(
        some.map(async ({ id, content }) => {
          try {
            return { id, content: await withFactors(context, id, content) }
          } catch (error) {
            left_out('user', id, recordProblem(error))
            return undefined
          }
        }),
      )
      for (const one of found) if (one !== undefined) yield one
    }
  },
  async read(context, username) {
    const content = await plain.read(context, username)
    return content && withFactors(context, username, content)
  },
  problems: (username, { fields, factors }) => [
    ...plain.problems(username, { fields }),
    ...(factors === undefined ? [] : movableProblems(factors)),
  ],
  async clashes(context, username, { fields, factors }, stored) {
    const { storage } = context
    const { sub = '' } = fields
    if (stored !== undefined && stored.fields.sub !== sub)
      return ['has another sub here, which never changes: remove the user first']
    const others = (await usernamesOfSub(storage, sub)).filter((other) => other !== username)
    // The same person may come back.
    const is_removed = stored === undefined && (await wasRemoved(storage, sub, username))
    const [namesake] = stored === undefined ? await namesakesOf(storage, username) : []
    const taken =
      factors === undefined ? [] : await takenPasskeys(movingContext(context), { username }, factors)
    return [
      ...others.slice(0, 1).map((other) => `has a sub that belongs to the user "${other}" already`),
      ...(is_removed ? ['has a sub that was that of another user, who was removed'] : []),
      ...(namesake === undefined ? [] : [looksLike(namesake)]),
      ...taken.slice(0, 1).map((id) => `has the passkey ${id}, which another user has`),
    ]
  },
  async create(context, username, { fields, factors }) {
    // Before the record: nobody may sign in without a step that belongs to it. What a removed user left ends.
    await giveFactors(movingContext(context), { username, sub: fields.sub ?? '' }, factors)
    return (await insertUser(context, username, fields)) === 'ok'
  },
  async replace(context, username, content, stored) {
    const { fields, factors } = content
    const { before, marks } = endMarks(context)
    try {
      if (
        differingFields({ fields: {}, ...pick(factors) }, { fields: {}, ...pick(stored.factors) }).length > 0
      )
        await replaceFactors(context, username, content)
      await changeUser(
        adminContext(context),
        username,
        stored.fields,
        changeTo({ ...fields, ...marks }, stored.fields),
      )
    } catch (error) {
      if (error instanceof AdminError && error.code === 'stale') return false
      throw error
    }
    // What was signed in may have been somebody whose password or second step is over.
    await endMarked(context, username, before)
    return true
  },
}

async function replaceFactors(
  context: CommandContext,
  username: string,
  { fields: { sub = '' }, factors }: Content,
): Promise<void> {
  const event: SecurityEvent = { event: 'user_changed', username, fields: ['factors'] }
  await commit(context, [event], { sub }, (told) =>
    giveFactors(movingContext(context), { username, sub }, factors, told),
  )
}

const pick = (factors: Content['factors']) => (factors === undefined ? {} : { factors })

/** What moving factors needs of the command. */
function movingContext({ storage, config }: CommandContext): MovingContext {
  return { storage, settings: config.settings }
}

async function withFactors(context: CommandContext, username: string, content: Content): Promise<Content> {
  return { ...content, ...pick(await readMovable(movingContext(context), username)) }
}
