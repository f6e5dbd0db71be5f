import { hasPasskeys } from '../config/passkey-settings.ts'
import { hasOwnPage, hasPasswords } from '../config/sign-in-ways.ts'
import { findFactors } from '../factors/change-factors.ts'
import type { View } from '../pages/layout.ts'
import { listProviders } from '../providers/find-providers.ts'
import { nameOf } from '../providers/presets.ts'
import type { Provider } from '../providers/provider-record.ts'
import type { User } from '../users/user-record.ts'
import type { AccountPageContext } from './account-context.ts'
import type { AccountLinks } from './pages/account-form.ts'
import { type OwnProvider, type ProviderProblem, providersPage } from './pages/providers.ts'

/** Returns the links of an account with a provider. */
export const linksWith = ({ linked_subjects = [] }: User, { issuer }: Pick<Provider, 'issuer'>): string[] =>
  linked_subjects.filter((link) => link.startsWith(`${issuer}#`))

/** The providers by which people sign in, and which of them somebody is linked with. @throws StorageUnavailable */
export async function ownProviders(context: AccountPageContext, user: User): Promise<OwnProvider[]> {
  return (await listProviders(context)).map((provider) => ({
    provider: provider.provider,
    name: nameOf(provider),
    is_linked: linksWith(user, provider).length > 0,
  }))
}

/** The page of the accounts elsewhere. @param problem why nothing was done. @throws StorageUnavailable */
export async function providersOf(
  context: AccountPageContext,
  { user, base, csrf }: AccountLinks & { readonly user: User },
  problem?: ProviderProblem,
): Promise<(view: View) => string> {
  const providers = await ownProviders(context, user)
  return (view) => providersPage({ base, csrf, providers, ...(problem && { problem }) }, view)
}

/**
 * Whether a person can sign in without these links: by the password, a passkey or another provider, as far as they are
 * turned on.
 * @throws StorageUnavailable
 */
export async function hasAnotherWay(
  context: AccountPageContext,
  user: User,
  links: readonly string[],
): Promise<boolean> {
  const { settings } = context
  if (hasPasswords(settings) && user.password_hash !== undefined) return true
  if (hasOwnPage(settings) && hasPasskeys(settings)) {
    const { factors } = await findFactors(context, user.username)
    if (factors.passkeys.size > 0) return true
  }
  const others = (user.linked_subjects ?? []).filter((link) => !links.includes(link))
  const providers = await listProviders(context)
  return providers.some(({ issuer }) => others.some((link) => link.startsWith(`${issuer}#`)))
}
