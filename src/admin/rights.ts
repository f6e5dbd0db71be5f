import { hasScope, isAdminScope } from '../core/admin-scopes.ts'
import type { Caller } from './operation.ts'
import { AdminError } from './problem.ts'

/**
 * Checks that a caller has each right of the admin API that a record gives: whoever sets the secret of a client gets what
 * the client has.
 * @param scopes those of the record, before and after the change
 * @throws AdminError `lacks_right`
 */
export function assertMayGive({ kind, scopes: own }: Caller, scopes: readonly string[]): void {
  if (kind === 'command') return
  const given = scopes.filter(isAdminScope)
  const lacking = given.filter((name) => !hasScope(own, name))
  if (lacking.length === 0) return
  throw new AdminError('lacks_right', `This needs rights that the caller lacks: ${lacking.join(' ')}.`)
}

/**
 * Checks that a caller may have an issuer trusted: its assertions can stand for any client and any user.
 * @throws AdminError `lacks_right`
 */
export function assertMayTrust(caller: Caller): void {
  assertMayGive(caller, ['redmint:read', 'redmint:write'])
}
