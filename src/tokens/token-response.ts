import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Detail } from '../details/read-details.ts'

/** The members of every token response (RFC 6749 §5.1). */
export const TOKEN_MEMBERS = {
  access_token: Type.String(),
  token_type: Type.Union([Type.Literal('Bearer'), Type.Literal('DPoP'), Type.Literal('N_A')], {
    description:
      'DPoP: bound to the key of the proof (RFC 9449 §5). N_A: no access token, but an identity assertion (RFC 8693 §2.2.1)',
  }),
  expires_in: Type.Integer({ description: 'Lifetime in seconds' }),
  scope: Type.String({ description: 'What was granted, separated by spaces' }),
  authorization_details: Type.Optional(
    Type.Array(Type.Unsafe<Detail>({ type: 'object', additionalProperties: true }), {
      description: 'What was granted in detail (RFC 9396 §7); absent: nothing',
    }),
  ),
}

/** Those of a sign-in at this server (OpenID Connect Core §3.1.3.3). */
export const USER_MEMBERS = {
  refresh_token: Type.Optional(Type.String()),
  refresh_token_expires_in: Type.Optional(
    Type.Integer({ description: 'Seconds until the refresh token ends if it is not used' }),
  ),
  id_token: Type.Optional(Type.String()),
}

export type TokenResponse = Static<TObject<typeof TOKEN_MEMBERS & typeof USER_MEMBERS>>
