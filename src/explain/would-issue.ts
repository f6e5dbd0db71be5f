import type { AuthorizationRequest } from '../authorize/request.ts'
import { claimsFor, claimsOfScope } from '../claims/claims.ts'
import type { CurrentAccountContext } from '../claims/current-account.ts'
import { idTokenClaims } from '../claims/id-token-claims.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { scopeNames } from '../core/scope.ts'
import type { Detail } from '../details/read-details.ts'
import { findTarget, ownTarget, scopeFor, type TargetContext } from '../resources/target.ts'
import { refreshableFor } from '../tokens/grant-listings.ts'
import { accessTokenShape } from '../tokens/plan.ts'
import type { User } from '../users/user-record.ts'

/** What a client would get for a sign-in. */
export interface IssuableTokens {
  readonly access_token: {
    readonly format: string
    /** Seconds. */
    readonly expires_in: number
    readonly scope: string
    /** What it is for in detail; absent: nothing. */
    readonly details?: readonly Detail[]
    /** The API that it is for; absent: this server, or the token request says which. */
    readonly audience?: string
  }
  /** Whether there is a refresh token. */
  readonly refresh_token: boolean
  /** The claims of the id_token about the user; absent: there is none. */
  readonly id_token?: Readonly<Record<string, unknown>>
  /** The claims that /userinfo answers. */
  readonly userinfo?: Readonly<Record<string, unknown>>
}

type IssueContext = CurrentAccountContext & TargetContext & { readonly settings: Settings }

/** Returns what a code for the request would be exchanged for. @throws StorageUnavailable */
export async function tokensFor(
  context: IssueContext,
  request: AuthorizationRequest,
  user: User,
): Promise<IssuableTokens> {
  const { client, scope, resources = [], details } = request
  const { settings, log } = context
  const [resource] = resources
  const target =
    resource === undefined || resources.length > 1
      ? ownTarget(client)
      : await findTarget(context, client, resource.id)
  const { format, ttl } = accessTokenShape(settings, client, target)
  const sub = subjectFor(client, user.sub, settings)
  const sign_in = { subject: sub, username: user.username, sid: 'what-if' }
  const has_user = scopeNames(scope).includes('openid')
  const released = claimsFor(client, user, claimsOfScope(scope, settings.scope_claims), log)
  return {
    access_token: {
      format,
      expires_in: ttl,
      scope: scopeFor(target, scope),
      ...(details && { details: details.map(({ detail }) => detail) }),
      ...(target.audience !== '' && { audience: target.audience }),
    },
    refresh_token: refreshableFor(client, scope, settings.refresh_token_ttl) > 0,
    ...(has_user && {
      id_token: { sub, ...(await idTokenClaims(context, client, sign_in, scope)) },
      userinfo: { sub, ...released },
    }),
  }
}
