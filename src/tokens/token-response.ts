import { type Static, Type } from '@sinclair/typebox'

/** The body of a token response (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). */
export const TokenResponse = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Union([Type.Literal('Bearer'), Type.Literal('DPoP')], {
      description: 'DPoP: bound to the key of the proof (RFC 9449 §5)',
    }),
    expires_in: Type.Integer({ description: 'Lifetime in seconds' }),
    refresh_token: Type.Optional(Type.String()),
    refresh_token_expires_in: Type.Optional(
      Type.Integer({ description: 'Seconds until the refresh token ends if it is not used' }),
    ),
    id_token: Type.Optional(Type.String()),
    scope: Type.String({ description: 'What was granted, separated by spaces' }),
  },
  { $id: 'redmint:TokenResponse', description: 'The issued tokens' },
)
export type TokenResponse = Static<typeof TokenResponse>
