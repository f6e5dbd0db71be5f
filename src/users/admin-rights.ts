import { commonScopes, isAdminScope } from '../core/admin-scopes.ts'
import { scopeNames } from '../core/scope.ts'
import type { AccountRegistry } from './account-registry.ts'

/** What it takes to find the rights of a user. */
export interface AdminRightsContext {
  readonly accounts: Pick<AccountRegistry, 'find'>
}

/**
 * Returns a scope without what its user may not do by the admin API.
 * @param username undefined: nobody has signed in, as with the shortcut of demo mode
 * @throws StorageUnavailable
 */
export async function scopeOfUser(
  { accounts }: AdminRightsContext,
  scope: string,
  username: string | undefined,
): Promise<string> {
  const names = scopeNames(scope)
  if (!names.some(isAdminScope)) return scope
  const user = username === undefined ? undefined : await accounts.find(username)
  return [
    ...names.filter((name) => !isAdminScope(name)),
    ...commonScopes(names.filter(isAdminScope), user?.admin ?? []),
  ].join(' ')
}
