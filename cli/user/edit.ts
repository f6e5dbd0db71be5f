import { isDeepStrictEqual } from 'node:util'
import { describeEnded } from '../../src/admin/operation/end-all.ts'
import { patchOf } from '../../src/admin/operation/record-json.ts'
import { givenUser } from '../../src/admin/users/given.ts'
import { hasOnlyPasskeys } from '../../src/config/passkey-settings.ts'
import { isObject } from '../../src/core/json.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { customClaimField } from '../../src/users/custom-claims.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import type { Calls } from '../calls.ts'
import { JWT_NOTE } from '../end-all.ts'
import { nothingToChange, UsageError, withHints } from '../errors.ts'
import type { RecordAnswer } from '../from-answer.ts'
import type { Report } from '../output.ts'
import { settingsAt } from '../settings-at.ts'
import { giveResetLink } from './links.ts'
import { withNextStep } from './next-step.ts'
import { describeAnswer, formatUserDescription } from './show.ts'

/**
 * The command `user add`.
 * @param given the fields and claims, as storage writes them
 * @param password only on the host; undefined: none, and where nobody has one a link is printed with which the user makes a
 * passkey
 * @throws Refusal if the user or the sub exists, the record would be malformed, or the password is refused
 */
export async function addUser(
  calls: Calls,
  username: string,
  given: Hash,
  password: string | undefined,
): Promise<Report> {
  const { host, call } = calls
  const settings = await settingsAt(calls)
  const hints = { exists: ': use redmint user update to change it.' }
  // No server may keep the index yet, by which a sub that is taken is found.
  if (host !== undefined && given.sub !== undefined) await call('index_users', { body: {} })
  const adding =
    password === undefined
      ? call('create_user', { body: { username, ...givenUser(given) } })
      : call('import_user', { body: { username, fields: given, password } })
  const { next_step, ...answer } = await withHints(hints, adding)
  const gets_link = password === undefined && hasOnlyPasskeys({ sign_in: settings?.sign_in ?? '' })
  const added = reportUser('The user is stored.', gets_link ? answer : { ...answer, next_step })
  if (!gets_link) return added
  const link = await giveResetLink(calls, username)
  return { text: `${added.text}\n\n${link.text}`, json: { ...Object(added.json), reset_link: link.json } }
}

/**
 * The command `user update`: changes the given claims.
 * @throws Refusal if the user does not exist or the record would be malformed; UsageError if no claim is given
 */
export async function updateUser(
  calls: Calls,
  username: string,
  set: Hash,
  unset: readonly string[],
): Promise<Report> {
  const both = unset.find((name) => Object.hasOwn(set, name))
  if (both !== undefined) throw new UsageError(`${both} is given both to set and to remove: choose one.`)
  if (Object.keys(set).length + unset.length === 0) throw nothingToChange('user update')
  let former: RecordAnswer = {}
  const answer = await calls.call('change_user', {
    params: { username },
    patch({ last_sign_in_at: _, ...stored }) {
      former = stored
      return patchOfUser(stored, set, unset)
    },
  })
  const { warnings: _, next_step: __, ...record } = answer
  const sentence = isDeepStrictEqual(former, record)
    ? 'Nothing is changed: the record has these values already.'
    : 'The user is changed.'
  return reportUser(sentence, answer)
}

function patchOfUser(stored: RecordAnswer, set: Hash, unset: readonly string[]): RecordAnswer {
  const { claims: present, ...fields } = givenUser(set)
  const known: Readonly<Record<string, unknown>> = isObject(stored.claims) ? stored.claims : {}
  const claims = new Map(Object.entries(present).map(([name, value]) => [name, patchOf(known[name], value)]))
  const removed: Record<string, null> = {}
  for (const name of unset) {
    if (Object.hasOwn(USER_FIELDS, name)) removed[name] = null
    else claims.set(name.replace(customClaimField(''), ''), null)
  }
  return { ...fields, ...removed, claims: Object.fromEntries(claims) }
}

/**
 * The command `user set-password`.
 * @throws Refusal if the user does not exist, the password is refused, or another process changes it at the same time
 */
export async function setPassword({ call }: Calls, username: string, password: string): Promise<Report> {
  const { ended } = await call('set_password', { body: { username, password } })
  return {
    text: `The user has a new password. ${describeEnded(ended)} ${JWT_NOTE}`,
    json: { username, password: 'set', ended },
  }
}

function reportUser(sentence: string, answer: RecordAnswer): Report {
  const user = describeAnswer(answer)
  const warnings = Array.isArray(answer.warnings) ? answer.warnings : []
  const lines = warnings.map((warning) => `\nWarning: ${warning}`)
  return withNextStep(
    {
      text: [sentence, '', formatUserDescription(user), ...lines].join('\n'),
      json: warnings.length === 0 ? user : { ...user, warnings },
    },
    answer,
  )
}
