import type { Client } from '../clients/record/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import { refusedAssertion } from '../core/grant-errors.ts'
import { resolveScope, scopeNames } from '../core/scope.ts'
import { statedTimeFault } from '../core/stated-time.ts'
import type { Assertion } from '../issuers/verify-assertion.ts'
import { checkScopeOf, findResources, idsOf, type TokenTarget } from '../resources/target.ts'
import type { GrantFacts } from '../tokens/code-record.ts'
import { accessFacts, type GroupSettings, mayUse, suffices } from '../users/client-access.ts'
import { findAccountByEmail, findLinkedAccount } from '../users/linked-account.ts'
import type { User } from '../users/user-record.ts'
import type { GrantContext, Granted } from './grant-handler.ts'

/**
 * Returns what an identity assertion grant is granted (draft-ietf-oauth-identity-assertion-authz-grant-04 §4.4.1): a
 * token for the account that the assertion names, with the scopes that its issuer authorised.
 * @param judged_since milliseconds since 1970
 * @throws OAuthError `invalid_grant` without such an account, if it may not use the client, or with a wrong `auth_time`;
 * `invalid_scope`; StorageUnavailable
 */
export async function identityGrant(
  context: GrantContext,
  client: Client,
  assertion: Assertion,
  requested: string | undefined,
  target: TokenTarget,
  judged_since: number,
): Promise<Granted> {
  const sign_in = await assertedSignIn(context, client, assertion, judged_since, refusedAssertion)
  checkScopeOf(target, client, requested)
  return { scope: resolveScope(requested, assertedScopes(assertion, target)), user: { sign_in } }
}

/** Makes the error for an assertion about a user that is refused. */
export type RefuseAssertion = typeof refusedAssertion

/**
 * Returns the sign-in that an assertion about a user stands for: at the client, of the account that it names.
 * @param judged_since milliseconds since 1970
 * @throws what `refuse` makes without such an account, if it may not use the client, or with a wrong `auth_time`;
 * StorageUnavailable
 */
export async function assertedSignIn(
  context: GrantContext,
  client: Client,
  { issuer, claims }: Assertion,
  judged_since: number,
  refuse: RefuseAssertion,
): Promise<GrantFacts> {
  const user =
    issuer.account_by === 'subject'
      ? await findLinkedAccount(context, issuer.issuer, claims)
      : await findAccountByEmail(context, claims)
  if (user === undefined) throw refuse('assertion_user', 'no account here belongs to its user')
  if (!mayUse(client, user, context.settings)) throw refusedAccess(client, user, context.settings, refuse)
  // The sign-in elsewhere is one for the client.
  const acr = typeof claims.acr === 'string' && claims.acr !== '' ? claims.acr : undefined
  if (!suffices(client, acr)) throw tooWeak(client, acr, refuse)
  return {
    subject: subjectFor(client, user.sub, context.settings),
    username: user.username,
    ...timeOf(claims, Math.floor(context.now() / 1000), issuer, refuse),
    assertion_issuer: issuer.issuer,
    // Its issuer decided before: what was ended since then ends this, too.
    started_at: String(Math.min(judged_since, madeAt(claims) ?? judged_since)),
    ...(acr !== undefined && { acr }),
  }
}

/**
 * Returns the ids of the resources that an assertion about a user names, separated by spaces
 * (draft-ietf-oauth-identity-assertion-authz-grant-04 §3).
 * @throws what `refuse` makes for a claim of another type; OAuthError `invalid_target`; StorageUnavailable
 */
export async function statedTarget(
  context: GrantContext,
  { resource = [] }: Assertion['claims'],
  refuse: RefuseAssertion,
): Promise<string> {
  const uris = Array.isArray(resource) ? resource : [resource]
  if (uris.length === 0) return ''
  // If they were ignored, the token would be for this server, which the issuer did not authorise.
  if (!uris.every(isOneUri))
    throw refuse('assertion_claims', 'its resource is neither a URI nor a list of URIs')
  return idsOf(await findResources(context, uris.join(' ')))
}

const isOneUri = (uri: unknown) => typeof uri === 'string' && !uri.includes(' ')

/**
 * Returns the scopes of a target that an assertion about a user and the record of its issuer authorise. A right at the admin
 * API takes a sign-in here: the caller took it off the target.
 */
export function assertedScopes(
  { issuer, claims: { scope = '' } }: Assertion,
  target: Pick<TokenTarget, 'scopes'>,
): string[] {
  const authorised = typeof scope === 'string' ? scopeNames(scope) : []
  return authorised.filter(
    (name) => target.scopes.includes(name) && (issuer.scopes.length === 0 || issuer.scopes.includes(name)),
  )
}

const refusedAccess = (client: Client, user: User, settings: GroupSettings, refuse: RefuseAssertion) =>
  refuse('access_by_group', 'its user may not use this client', {
    event: {
      event: 'access_refused',
      at: 'assertion',
      client_id: client.client_id,
      username: user.username,
      sub: user.sub,
    },
    ...accessFacts(client, user, settings),
  })

const tooWeak = (
  { client_id, required_acr = [] }: Client,
  acr: string | undefined,
  refuse: RefuseAssertion,
) =>
  refuse('acr_too_weak', 'its acr is none of those that the client demands', {
    detail: client_id,
    received: { acr: acr ?? 'none' },
    expected: { acr: required_acr },
  })

/**
 * Returns when the user signed in. If the issuer does not say so, returns the time of the assertion under another name,
 * because APIs take auth_time for the time of the sign-in (RFC 9470 §4).
 */
function timeOf(
  { auth_time, iat }: Assertion['claims'],
  now: number,
  { clock_skew }: Assertion['issuer'],
  refuse: RefuseAssertion,
): Pick<GrantFacts, 'auth_time' | 'asserted_at'> {
  if (auth_time === undefined) return { asserted_at: typeof iat === 'number' ? Math.floor(iat) : now }
  const fault = statedTimeFault(auth_time, { from: 0, to: now + clock_skew })
  if (fault === 'malformed' || fault === 'early')
    throw refuse('assertion_claims', 'its auth_time is not a number of seconds')
  if (fault === 'late')
    throw refuse('assertion_clock', 'its auth_time is in the future', {
      received: { auth_time: Number(auth_time) },
      expected: { now, clock_skew },
    })
  return { auth_time: Math.floor(Number(auth_time)) }
}

/** When an assertion was made, in milliseconds since 1970; undefined: it does not say it. */
function madeAt({ iat }: Assertion['claims']): number | undefined {
  return typeof iat === 'number' ? Math.floor(iat * 1000) : undefined
}
