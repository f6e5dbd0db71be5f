import type { AccountField } from '../config/account-fields.ts'
import { readPairs } from '../config/ldap-settings.ts'
import { hasProviders } from '../config/sign-in-ways.ts'
import type { Parameters } from '../core/parameters.ts'
import type { AccountSource } from '../interaction/own-accounts.ts'
import type { View } from '../pages/layout.ts'
import { DIRECTORY_LINKS } from '../users/user-fields.ts'
import type { User } from '../users/user-record.ts'
import type { AccountPageContext } from './account-context.ts'
import type { AccountLinks } from './pages/account-form.ts'
import { profilePage } from './pages/profile.ts'

/** What it takes to find out what of a profile its person may change. */
type ProfileContext = Pick<AccountPageContext, 'settings' | 'storage'> & {
  /** What says who has an account; absent: redmint alone. */
  readonly account_source?: AccountSource | undefined
}

const ALL = 'all'

/**
 * Returns what a person may change of the own profile: what the operator allows, without what another system says at each
 * sign-in, because it would be lost then.
 * @throws StorageUnavailable
 */
export async function changeableFields(
  context: ProfileContext,
  user: User,
): Promise<readonly AccountField[]> {
  const { account_fields } = context.settings
  if (account_fields.length === 0) return []
  const said = await saidElsewhere(context, user)
  return said === ALL ? [] : account_fields.filter((field) => !said.includes(field))
}

/** The claims of a user that another system says. @throws StorageUnavailable */
async function saidElsewhere(
  { settings, storage, account_source }: ProfileContext,
  { managed_by, linked_subjects: links = [] }: User,
): Promise<readonly string[] | typeof ALL> {
  // A file of the operator, or an application, says all of a user.
  if (managed_by !== undefined || settings.login_url !== undefined || account_source !== undefined) return ALL
  if (links.length === 0) return []
  const said: string[] = []
  const is_of_directory = links.some((link) => link.startsWith(`${DIRECTORY_LINKS}#`))
  if (settings.ldap_url !== undefined && is_of_directory)
    said.push(...(readPairs(settings.ldap_claims)?.keys() ?? []))
  if (hasProviders(settings)) {
    const { areLinkedWithProvider } = await import('../providers/find-providers.ts')
    const { PROFILE } = await import('../providers/believed.ts')
    if (await areLinkedWithProvider({ storage }, links)) said.push(...PROFILE)
  }
  return said
}

/** The page to change the profile. @param wrong what was typed, and cannot be. @throws StorageUnavailable */
export async function profileOf(
  context: ProfileContext,
  { user, base, csrf }: AccountLinks & { readonly user: User },
  wrong?: Parameters,
): Promise<(view: View) => string> {
  const fields = await changeableFields(context, user)
  const { claims } = user
  const props = {
    base,
    csrf,
    fields,
    values: wrong ?? claims,
    locale: claims.locale,
    is_wrong: wrong !== undefined,
  }
  return (view) => profilePage(props, view)
}
