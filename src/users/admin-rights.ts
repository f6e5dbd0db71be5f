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
export function scopeOfUser(
  context: AdminRightsContext,
  scope: string,
  username: string | undefined,
): Promise<string> | string {
  const names = scopeNames(scope)
  return names.some(isAdminScope) ? withRightsOf(context, names, username) : scope
}

async function withRightsOf(
  { accounts }: AdminRightsContext,
  names: readonly string[],
  username: string | undefined,
): Promise<string> {
  const user = username === undefined ? undefined : await accounts.find(username)
  return [
    ...names.filter((name) => !isAdminScope(name)),
    ...commonScopes(names.filter(isAdminScope), user?.admin ?? []),
  ].join(' ')
}
