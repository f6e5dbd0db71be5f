import { type Flag, oneOf } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import { SIGNING_ALGS } from '../core/signing-algs.ts'

const algFlag = (help: string, clear: string): Flag => ({ value: 'alg', help, clear })

/** The client fields that say how answers to the client are signed. */
export const SIGNED_ANSWER_FIELDS = {
  /** The algorithm of its authorization responses as JWTs (JARM §3); absent: the server's ID_TOKEN_ALG. */
  authorization_signed_response_alg: oneOf(SIGNING_ALGS, {
    flag: algFlag(
      'the algorithm that signs its authorization responses in the response modes jwt, query.jwt and form_post.jwt',
      "reset to the servers' algorithm",
    ),
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`, for [signed authorization responses](signed-responses.md#authorization-responses); default: `ID_TOKEN_ALG`',
  }),
  /** The algorithm of its introspection responses (RFC 9701 §6); absent: a JWT only if it asks for one. */
  introspection_signed_response_alg: oneOf(SIGNING_ALGS, {
    flag: algFlag(
      'the algorithm that signs its introspection responses, which are then always JWTs',
      'a JWT only for a request that accepts one',
    ),
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`: what it learns by introspection is [a signed JWT](signed-responses.md#introspection); default: JSON, or a JWT by `ID_TOKEN_ALG` for a request that accepts one',
  }),
  /** The algorithm of its user information (OpenID Connect Registration §2); absent: plain JSON. */
  userinfo_signed_response_alg: oneOf(SIGNING_ALGS, {
    flag: algFlag('the algorithm that signs its user information', 'user information as plain JSON'),
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`: its user information is [a signed JWT](signed-responses.md#user-information); default: plain JSON',
  }),
} satisfies FieldTable
