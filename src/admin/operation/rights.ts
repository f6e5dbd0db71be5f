import { hasScope, isAdminScope } from '../../core/admin-scopes.ts'
import { AdminError } from './problem.ts'

/** Who asks, as far as rights go. */
interface Asking {
  readonly kind: 'client' | 'user' | 'command'
  readonly scopes: ReadonlySet<string>
}

/**
 * Checks that a caller has each right of the admin API that a record gives: whoever sets the secret of a client gets what
 * the client has, and whoever could end it could stop those who look after him.
 * @param scopes those of the record, before and after the change
 * @throws AdminError `lacks_right`
 */
export function assertMayGive({ kind, scopes: own }: Asking, scopes: readonly string[]): void {
  if (kind === 'command') return
  const given = scopes.filter(isAdminScope)
  const lacking = given.filter((name) => !hasScope(own, name))
  if (lacking.length === 0) return
  throw new AdminError('lacks_right', `This needs rights that the caller lacks: ${lacking.join(' ')}.`, [], {
    received: { scopes: [...own] },
    expected: { scopes: lacking },
  })
}

/** What it takes to have an issuer or a provider trusted: it can stand for any client and any user. */
export const ALL_RIGHTS: readonly string[] = ['redmint:read', 'redmint:write']
