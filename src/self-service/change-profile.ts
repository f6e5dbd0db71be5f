import type { AccountField } from '../config/account-fields.ts'
import type { Parameters } from '../core/parameters.ts'
import { readPersonName } from '../users/person-name.ts'
import { refreshUser } from '../users/refresh-user.ts'
import { USER } from '../users/user-kind.ts'
import type { User } from '../users/user-record.ts'
import type { ActionContext, ActionOutcome, PageActor } from './action.ts'
import { changeableFields, profileOf } from './own-profile.ts'

/**
 * Changes what a person may change of the own profile: of the fields that the page asked for (`asked`), an empty one is
 * removed.
 * @throws StorageUnavailable
 */
export async function changeProfile(
  context: ActionContext,
  actor: PageActor,
  form: Parameters,
): Promise<ActionOutcome> {
  const { username, sub } = actor.user
  const found = await context.storage.records.read(USER, username)
  if (!found?.ok || found.record.sub !== sub) return { done: 'stale' }
  const { record: user, hash } = found
  const asked = (form.asked ?? '').split(' ')
  const given = (await changeableFields(context, user)).filter((field) => asked.includes(field))
  // The page is from before another system said it.
  if (given.length === 0) return { render: await profileOf(context, actor) }
  const values = given.map((field) => [field, keptOf(context, field, form[field] ?? '', user)] as const)
  if (values.some(([, value]) => value === undefined))
    return { render: await profileOf(context, actor, form) }
  const set = Object.fromEntries(values.filter(([, value]) => value)) as Record<string, string>
  const unset = values.filter(([, value]) => value === '').map(([field]) => field)
  const refreshed = await refreshUser(context, { user, hash }, { set, unset })
  if ('problem' in refreshed)
    return refreshed.problem === 'busy'
      ? { done: 'stale' }
      : { render: await profileOf(context, actor, form) }
  // The browser gets the language of its person.
  const { locale } = set
  const is_new = locale !== user.claims.locale && context.languages.of(locale) !== undefined
  return { done: 'profile', ...(locale !== undefined && is_new && { language: locale }) }
}

/** Returns what is kept of a field; empty: nothing; undefined: it cannot be that. */
function keptOf(
  { languages }: Pick<ActionContext, 'languages'>,
  field: AccountField,
  typed: string,
  { claims }: User,
): string | undefined {
  if (field !== 'locale') return readPersonName(typed)
  // What an operator wrote may be more exact than the choice.
  const is_known = typed === '' || typed === claims.locale || languages.of(typed) !== undefined
  return is_known ? typed : undefined
}
