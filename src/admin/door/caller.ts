import type { ClientRegistry } from '../../clients/client-registry.ts'
import { commonScopes } from '../../core/admin-scopes.ts'
import { FieldReader } from '../../core/record-hash.ts'
import { scopeNames } from '../../core/scope.ts'
import { adminScopes } from '../../resources/target.ts'
import { findAccount, type TokenAccountContext } from '../../tokens/token-account.ts'
import type { ValidAccessToken } from '../../tokens/validation.ts'
import type { AdminCaller } from '../operation/operation.ts'

/** What it takes to know a caller. */
export type CallerContext = TokenAccountContext & { readonly clients: Pick<ClientRegistry, 'find'> }

/**
 * Returns who calls with an access token that was validated, and what they may do now: what the token says, without what
 * the client or the user has lost since.
 * @throws StorageUnavailable
 */
export async function callerOf(context: CallerContext, token: ValidAccessToken): Promise<AdminCaller> {
  const { client_id, subject, grant = {} } = token
  const client = await context.clients.find(client_id)
  const of_token = scopeNames(token.scope)
  // The secret of a client that demo mode wrote is public: it counts where nobody else reaches the server.
  const is_usable = client !== undefined && (!client.demo || context.settings.demo === true)
  const of_client = is_usable ? adminScopes(client) : []
  if (subject === '')
    return { kind: 'client', id: client_id, scopes: new Set(commonScopes(of_token, of_client)) }
  const {
    username = '',
    sid,
    assertion_issuer,
  } = new FieldReader(grant).given(['username', 'sid', 'assertion_issuer'])
  // By the shortcut of demo mode anybody is anybody.
  const has_signed_in = sid !== undefined || assertion_issuer !== undefined
  const user = client && has_signed_in ? await findAccount(context, client, { username, subject }) : undefined
  // So is the password of a user that demo mode wrote.
  const of_user =
    user === undefined || (user.demo && context.settings.demo !== true) ? [] : (user.admin ?? [])
  return {
    kind: 'user',
    id: username,
    name: user?.claims.name,
    sub: subject,
    client_id,
    scopes: new Set(commonScopes(of_token, of_client, of_user)),
  }
}
