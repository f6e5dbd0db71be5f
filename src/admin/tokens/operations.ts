import { type Static, Type } from '@sinclair/typebox'
import { present } from '../../core/present.ts'
import type { TokenOrigin } from '../../storage/derivation.ts'
import { ShownActor, shownActor } from '../access/acting.ts'
import { ShownDetails, storedDetails } from '../access/details.ts'
import { instantOf } from '../access/page.ts'
import { rightsOfToken } from '../holders.ts'
import { byName, operation } from '../operation/operation.ts'
import { type GrantDescription, inspectToken, type TokenState } from './inspect.ts'
import { revokeToken } from './revoke.ts'

// A longer token is not one of redmint.
const token = Type.String({ maxLength: 16_384, description: 'the token, as its client has it' })

const InspectAnswer = Type.Object({
  active: Type.Boolean({
    description:
      'whether it can be used, as RFC 7662 has it: so is a refresh token that the token endpoint accepts',
  }),
  accepted_by_apis: Type.Boolean({ description: 'whether a protected API accepts it: no refresh token' }),
  reason: Type.Optional(Type.String({ description: 'why it is not accepted: all reasons' })),
  reasons: Type.Array(Type.String()),
  form: Type.String({ enum: ['opaque', 'jwt', 'unknown'] }),
  type: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  subject: Type.Optional(Type.String({ description: 'empty: the client acts for itself' })),
  scope: Type.Optional(Type.String()),
  authorization_details: Type.Optional(ShownDetails),
  audience: Type.Optional(Type.Array(Type.String())),
  expires_at: Type.Optional(Type.String()),
  bound_to: Type.Optional(
    Type.Object({ jkt: Type.Optional(Type.String()), 'x5t#S256': Type.Optional(Type.String()) }),
  ),
  actors: Type.Optional(Type.Array(ShownActor, { description: 'who acts with it, the current actor first' })),
  exchanged_for: Type.Optional(
    Type.Array(
      Type.Object({
        client_id: Type.Optional(Type.String({ description: 'absent: a JWT, or one that is gone' })),
        state: Type.Unsafe<TokenOrigin['state']>(Type.String({ enum: ['live', 'revoked', 'gone'] })),
      }),
      { description: 'the tokens that it came from by exchange, the nearest one first: it ends with each' },
    ),
  ),
  grant: Type.Optional(
    Type.Object({
      id: Type.String(),
      status: Type.String({ description: '`none`: no sign-in is recorded' }),
      username: Type.Optional(Type.String({ description: 'whose sign-in it is' })),
      started_at: Type.Optional(Type.String({ format: 'date-time' })),
      spent_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'when a refresh token was replaced last' }),
      ),
      tokens: Type.Array(
        Type.Object({
          type: Type.String(),
          state: Type.Unsafe<TokenState['state']>(Type.String({ enum: ['live', 'revoked', 'expired'] })),
          scope: Type.String(),
          audience: Type.Optional(Type.String()),
          expires_at: Type.String(),
        }),
        { description: 'the tokens that are stored, those that expire first at the top; JWTs are not' },
      ),
      more: Type.Boolean({ description: 'whether there are more of them' }),
    }),
  ),
})
export type InspectAnswer = Static<typeof InspectAnswer>

const RevokeAnswer = Type.Object({
  revoked: Type.Boolean(),
  family: Type.Boolean({ description: 'whether all of the sign-in is revoked' }),
  expires_at: Type.Optional(
    Type.String({ description: 'of a JWT: APIs that verify it by themselves accept it until then' }),
  ),
})

const inspect = operation({
  name: 'inspect_token',
  summary: 'Whether protected APIs accept a token, why not, and what it says',
  method: 'POST',
  path: '/tokens/inspect',
  scope: 'redmint:tokens:read',
  body: Type.Object({ token }, { additionalProperties: false }),
  answer: InspectAnswer,
  async run(context, { body }) {
    const { accepted, active, reasons, facts, grant } = await inspectToken(context, body.token.trim())
    const { form, type, client_id, subject, scope, audience, expires_at, confirmation, actors, origins } =
      facts
    return {
      body: present({
        active,
        accepted_by_apis: accepted,
        reason: accepted ? undefined : reasons.join('; '),
        reasons: [...reasons],
        ...{ form, type, client_id, subject, scope },
        ...storedDetails(facts.authorization_details),
        audience: audience && [...audience],
        expires_at: expires_at?.toISOString(),
        bound_to: confirmation && present({ jkt: confirmation.jkt, 'x5t#S256': confirmation['x5t#S256'] }),
        actors: actors?.map(shownActor),
        exchanged_for: origins?.map((origin) => ({ ...origin })),
        grant: grant && describe(grant),
      }),
      shows: grant?.username,
    }
  },
})

function describe({ started_at, spent_at, tokens, ...grant }: GrantDescription) {
  return present({
    ...grant,
    started_at: started_at === undefined ? undefined : instantOf(started_at),
    spent_at: spent_at === undefined ? undefined : instantOf(spent_at),
    tokens: [...tokens],
  })
}

const revoke = operation({
  name: 'revoke_token',
  summary: 'Revoke an access token, or a refresh token with all codes and tokens of the same sign-in',
  method: 'POST',
  path: '/tokens/revoke',
  scope: 'redmint:tokens:write',
  body: Type.Object(
    {
      token,
      family: Type.Optional(
        Type.Boolean({ description: 'whether all of the sign-in of an access token is revoked, too' }),
      ),
    },
    { additionalProperties: false },
  ),
  answer: RevokeAnswer,
  rights: (context, { body }) => rightsOfToken(context, body.token.trim()),
  async run(context, { body }) {
    const { family, expires_at } = await revokeToken(context, body.token.trim(), body.family === true)
    return { body: present({ revoked: true, family, expires_at: expires_at?.toISOString() }) }
  },
})

/** What operators do with tokens. A token is in the body, and never in an address, which is logged. */
export const TOKEN_OPERATIONS = byName(inspect, revoke)
