import { type Static, Type } from '@sinclair/typebox'
import { nameForm } from '../../core/visible-text.ts'
import type { EndedOfUser } from '../../logout/end-of-user.ts'
import { readAdministrators } from '../../users/administrators.ts'
import { groupsIn } from '../../users/user-groups.ts'
import { USER } from '../../users/user-kind.ts'
import { rightsOfUser } from '../holders.ts'
import { inBulk } from '../operation/bulk.ts'
import { foundPage, foundPageSchema, queried } from '../operation/list.ts'
import { type AdminContext, byName, operation } from '../operation/operation.ts'
import { assertVersion } from '../operation/version.ts'
import { actAs } from './act-as.ts'
import { changedUser, changeUser } from './change.ts'
import { createFrom } from './create.ts'
import { differenceOfUser } from './difference.ts'
import { readNewUser, readUserPatch } from './given.ts'
import { lintUsers } from './lint.ts'
import { describeUser, NewUser, readUser, USERNAME, UserAnswer, UserPatch, WholeUser } from './record-type.ts'
import { answerChanged, replaceFrom } from './replace.ts'
import { findExactly } from './search.ts'
import { disableUser, enableUser, endUser, removeUser } from './state.ts'
import { nextStep } from './way-in.ts'

const READ = 'redmint:users:read'
const WRITE = 'redmint:users:write'
const path = '/users/:username'

/** What was ended of a user. */
export const EndedAnswer = Type.Object(
  {
    ended: Type.Object({
      sessions: Type.Integer(),
      grants: Type.Integer({ description: 'Sign-ins of applications, with all their tokens' }),
    }),
  },
  { description: 'About how many were ended: all of them are refused within a second' },
)

export type UserEnded = Static<typeof EndedAnswer>

const SEARCH = Type.Object({
  admin: Type.Optional(
    Type.Boolean({ description: '`true`: only users who have rights at this API, whatever `q` says' }),
  ),
  q: Type.Optional(queried('the names, the username and the e-mail address, or a whole sub')),
  group: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'only those who are in this group, among so many as `limit` says: a page may be empty, and not the last one',
    }),
  ),
})

const list = operation({
  name: 'list_users',
  summary: 'List or search users',
  method: 'GET',
  path: '/users',
  scope: READ,
  query: SEARCH,
  answer: foundPageSchema(UserAnswer),
  needs: { page: true },
  async run(context, { query, cursor, limit }) {
    const { storage, settings } = context
    const { q, admin, group } = query
    if (admin) {
      const items = await readAdministrators(storage)
      return { body: { items: items.map(({ username, hash }) => describeUser(username, hash)) } }
    }
    const wanted = { cursor, limit, ...(q !== undefined && { q: nameForm(q) }) }
    const exactly = (text: string) => findExactly(storage, text)
    const { items: found, ...more } = await foundPage(context, USER, exactly, wanted)
    const items =
      group === undefined ? found : found.filter(({ id, hash }) => groupsIn(id, hash, settings).has(group))
    const signed_in = await storage.sign_ins.of(items.map(({ id }) => id))
    const shown = items.map(({ id, hash }, i) => describeUser(id, hash, signed_in[i]))
    return { body: { items: shown, ...more } }
  },
})

const create = operation({
  name: 'create_user',
  summary: 'Add a user, who has no password yet',
  method: 'POST',
  path: '/users',
  scope: WRITE,
  body: NewUser,
  answer: UserAnswer,
  needs: { creates: true, dry_run: true },
  async run(context, { body, dry_run }) {
    return createFrom(context, nameForm(body.username), readNewUser(body), dry_run)
  },
})

const read = operation({
  name: 'read_user',
  summary: 'Read a user',
  method: 'GET',
  path,
  scope: READ,
  params: USERNAME,
  answer: UserAnswer,
  async run({ storage }, { params }) {
    const username = nameForm(params.username)
    const stored = await readUser(storage, username)
    const [signed_in] = await storage.sign_ins.of([username])
    return { body: describeUser(username, stored, signed_in), stored, shows: username }
  },
})

const change = operation({
  name: 'change_user',
  summary: 'Change a user by a merge patch (RFC 7396)',
  method: 'PATCH',
  path,
  scope: WRITE,
  params: USERNAME,
  body: UserPatch,
  answer: UserAnswer,
  needs: { version: true, dry_run: true },
  rights: (context, { params }) => rightsOfUser(context, params),
  async run(context, { params, body, version, dry_run }) {
    const username = nameForm(params.username)
    const stored = await readUser(context.storage, username)
    assertVersion(stored, version)
    const given = readUserPatch(username, body, stored)
    if (dry_run) {
      const present = changedUser(context, username, stored, given)
      return { difference: differenceOfUser(username, stored, present), shows: username, stored }
    }
    return answerChanged(context, username, stored, await changeUser(context, username, stored, given))
  },
})

const replace = operation({
  name: 'replace_user',
  summary:
    'Add a user, or make it what is given. Its sub, its rights, its password, and whether it is disabled, stay if not given',
  method: 'PUT',
  path,
  scope: WRITE,
  params: USERNAME,
  body: WholeUser,
  answer: UserAnswer,
  needs: { version: 'if_exists', dry_run: true },
  rights: (context, { params }) => rightsOfUser(context, params),
  run: (context, { params, body, version, dry_run }) =>
    replaceFrom(context, nameForm(params.username), body, { version, dry_run }),
})

const remove = operation({
  name: 'delete_user',
  summary: 'Remove a user, and end all that the user has',
  method: 'DELETE',
  path,
  scope: WRITE,
  params: USERNAME,
  answer: EndedAnswer,
  needs: { version: true, dry_run: true },
  rights: (context, { params }) => rightsOfUser(context, params),
  async run(context, { params, version, dry_run }) {
    const username = nameForm(params.username)
    const stored = await readUser(context.storage, username)
    assertVersion(stored, version)
    if (dry_run) return { difference: differenceOfUser(username, stored, {}), shows: username, stored }
    return endedBody(await removeUser(context, username, { expected: stored, whole: true }))
  },
})

const disable = operation({
  name: 'disable_user',
  summary: 'Disable a user, and end all that the user has',
  method: 'POST',
  path: `${path}/disable`,
  scope: WRITE,
  params: USERNAME,
  answer: EndedAnswer,
  needs: { version: 'if_given' },
  rights: (context, { params }) => rightsOfUser(context, params),
  async run(context, { params, version }) {
    const username = nameForm(params.username)
    const { written, ...ended } = await disableUser(
      context,
      username,
      await expectedOf(context, username, version),
    )
    return { ...endedBody(ended), stored: written }
  },
})

const enable = operation({
  name: 'enable_user',
  summary: 'Enable a user; what was ended stays so',
  method: 'POST',
  path: `${path}/enable`,
  scope: WRITE,
  params: USERNAME,
  answer: UserAnswer,
  needs: { version: 'if_given' },
  rights: (context, { params }) => rightsOfUser(context, params),
  async run(context, { params, version }) {
    const username = nameForm(params.username)
    const { stored, was_disabled } = await enableUser(
      context,
      username,
      await expectedOf(context, username, version),
    )
    const body = { ...describeUser(username, stored), ...(await nextStep(context, username, stored)) }
    return { body, stored, ...(!was_disabled && { shows: username }) }
  },
})

const end = operation({
  name: 'end_user',
  summary: 'End all sessions of a user, and revoke all codes and tokens',
  method: 'POST',
  path: `${path}/end`,
  scope: WRITE,
  params: USERNAME,
  answer: EndedAnswer,
  rights: (context, { params }) => rightsOfUser(context, params),
  run: async (context, { params }) => endedBody(await endUser(context, nameForm(params.username))),
})

/** What operators do with users. */
export const USER_OPERATIONS = byName(
  list,
  create,
  inBulk('create_users', '/users/bulk', 'Add several users', create),
  read,
  replace,
  change,
  remove,
  disable,
  enable,
  end,
  actAs,
  lintUsers,
)

/** How a user must be to be as the caller read it. @throws AdminError `not_found`, `stale` */
async function expectedOf(
  { storage }: Pick<AdminContext, 'storage'>,
  username: string,
  version: string | undefined,
) {
  if (version === undefined) return {}
  const expected = await readUser(storage, username)
  assertVersion(expected, version)
  return { expected, whole: true } as const
}

const endedBody = ({ sessions, grants }: EndedOfUser) => ({ body: { ended: { sessions, grants } } })
