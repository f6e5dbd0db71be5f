import type { Detail } from '../details/read-details.ts'
import type { SigningKey } from '../keys/ring.ts'
import type { SigningContext } from './access-jwt.ts'
import { signJwt } from './jwt.ts'

/** The content of an identity assertion that does not come from the settings. */
export interface IdentityAssertionFacts {
  readonly jti: string
  /** The issuer of the other server, and the client there that presents it. */
  readonly audience: string
  readonly client_id: string
  readonly subject: string
  readonly resource: string
  readonly scope: string
  /** What the user allowed (RFC 9396), as far as it is asked for; absent: nothing. */
  readonly authorization_details?: readonly Detail[] | undefined
  /** When and how the user signed in. */
  readonly auth_time?: number | undefined
  readonly amr?: string | undefined
  readonly acr?: string | undefined
  /** The thumbprint of the key that must present it; absent: any may. */
  readonly jkt?: string | undefined
  /** Absent: it is not said. */
  readonly email?: string | undefined
  /** In seconds since 1970. */
  readonly issued_at: number
  readonly ends_at: number
}

/** Returns a signed identity assertion (draft-ietf-oauth-identity-assertion-authz-grant-04 §3). */
export function signIdentityAssertion(
  { settings }: Pick<SigningContext, 'settings'>,
  key: SigningKey,
  facts: IdentityAssertionFacts,
): string {
  const { audience, client_id, subject, resource, scope, auth_time, amr, acr, jkt, email } = facts
  return signJwt(key, 'oauth-id-jag+jwt', {
    iss: settings.issuer,
    sub: subject,
    // RFC 7523 §3: one, so that no other server takes it.
    aud: audience,
    client_id,
    jti: facts.jti,
    iat: facts.issued_at,
    exp: facts.ends_at,
    resource,
    // JSON.stringify omits undefined members.
    scope: scope || undefined,
    authorization_details: facts.authorization_details,
    // 0: not known.
    auth_time: auth_time || undefined,
    amr: amr?.split(' '),
    acr,
    cnf: jkt === undefined ? undefined : { jkt },
    email,
    email_verified: email === undefined ? undefined : true,
  })
}
