import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import { type Actor, actorsOf } from '../core/actor.ts'
import { invalidScope, invalidTarget } from '../core/grant-errors.ts'
import { isScopeOfSignIn, resolveScope } from '../core/scope.ts'
import { isOwnResource } from '../resources/own-resources.ts'
import { checkScopeOf, type TokenTarget, withoutRights } from '../resources/target.ts'

/** What an exchange is about. */
interface Exchanged {
  readonly target: TokenTarget
  /** Who acts with the new token; undefined: nobody. */
  readonly act: Actor | undefined
  /** The scopes of the subject token. */
  readonly held: readonly string[]
  /** Whether the new token is for something without a scope, too. */
  readonly has_details?: boolean
}

/**
 * Returns the scope of an exchanged token: what the subject token has, and the client may use at the target.
 * @throws OAuthError `invalid_scope` if that is nothing, or less than is requested; `invalid_target` (RFC 8693 §2.2.2) if
 * somebody would act at this server itself, which takes no such token
 */
export function exchangeScope(
  settings: Pick<Settings, 'issuer'>,
  client: Client,
  requested: string | undefined,
  { target: planned, act, held, has_details }: Exchanged,
): string {
  if (act !== undefined && isOwnResource(settings, planned.resource))
    throw invalidTarget(
      'resource_own',
      'Nobody acts for a person at this server itself: name the API of another server.',
      { received: { resource: planned.resource, actors: actorsOf(act).length } },
    )
  const target = withoutRights(planned)
  checkScopeOf(target, client, requested)
  const allowed = held.filter((name) => target.scopes.includes(name) && !isScopeOfSignIn(name))
  const scope = resolveScope(requested, allowed)
  if (scope !== '' || has_details) return scope
  throw invalidScope(
    'scope_not_allowed',
    'The subject_token has no scope that this client may obtain for this resource.',
    { received: { scope: [...held] }, expected: { scope: [...target.scopes] } },
  )
}
