import { ENCRYPTION_ALGS, ENCRYPTION_ENCS } from '../core/encryption-algs.ts'
import { type Flag, oneOf } from '../core/field-kinds.ts'
import type { FieldTable } from '../core/field-table.ts'
import type { FieldReader } from '../core/record-hash.ts'
import { SIGNING_ALGS } from '../core/signing-algs.ts'

const algFlag = (help: string, clear: string): Flag => ({ value: 'alg', help, clear })

const encryptedAlg = (what: string) =>
  oneOf(ENCRYPTION_ALGS, {
    flag: algFlag(
      `the algorithm that encrypts ${what} to a key of the client; --jwks or --jwks-uri has the key`,
      'sign it only',
    ),
    docs: `\`ECDH-ES\` or \`RSA-OAEP-256\`: ${what} is [encrypted](signed-responses.md#encryption) to a key of the client; default: it is not`,
  })

const encryptedEnc = (what: string, alg: string) =>
  oneOf(ENCRYPTION_ENCS, {
    flag: algFlag(`the algorithm of the content of ${what}: A256GCM`, 'remove it'),
    docs: `\`A256GCM\`; required with \`${alg}\``,
  })

/** The client fields that say how answers to the client are signed and encrypted. */
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
  /** How its id_tokens are encrypted (OpenID Connect Registration §2); absent: they are not. */
  id_token_encrypted_response_alg: encryptedAlg('each id_token'),
  id_token_encrypted_response_enc: encryptedEnc('id_tokens', 'id_token_encrypted_response_alg'),
  /** How its authorization responses as JWTs are encrypted (JARM §3); absent: they are not. */
  authorization_encrypted_response_alg: encryptedAlg('each authorization response as a JWT'),
  authorization_encrypted_response_enc: encryptedEnc(
    'authorization responses',
    'authorization_encrypted_response_alg',
  ),
  /** How its introspection responses are encrypted, which are then always JWTs (RFC 9701 §6); absent: they are not. */
  introspection_encrypted_response_alg: encryptedAlg('what it learns by introspection'),
  introspection_encrypted_response_enc: encryptedEnc(
    'introspection responses',
    'introspection_encrypted_response_alg',
  ),
  /** How its user information is encrypted (OpenID Connect Registration §2); absent: it is not. */
  userinfo_encrypted_response_alg: encryptedAlg('its user information'),
  userinfo_encrypted_response_enc: encryptedEnc('user information', 'userinfo_encrypted_response_alg'),
} satisfies FieldTable

/** What can be encrypted to a client: the first part of the names of its fields. */
export const ENCRYPTED_ANSWERS = ['id_token', 'authorization', 'introspection', 'userinfo'] as const
export type EncryptedAnswer = (typeof ENCRYPTED_ANSWERS)[number]

/**
 * Checks the fields of a client about encryption. An incomplete record is malformed: its answers would go out without
 * what it was registered for.
 */
export function checkEncryption(fields: FieldReader): void {
  const given = (name: string) => fields.optional(name) !== undefined
  const has_keys = given('jwks') || given('jwks_uri')
  for (const what of ENCRYPTED_ANSWERS) {
    const [alg, enc] = [`${what}_encrypted_response_alg`, `${what}_encrypted_response_enc`]
    // The default of the standards is A128CBC-HS256, so A256GCM must be said.
    if (given(alg) && !given(enc)) fields.fail(enc, `is missing, and there is ${alg}: set it to A256GCM`)
    if (given(enc) && !given(alg)) fields.fail(alg, `is missing, and there is ${enc}`)
    if (given(alg) && !has_keys) fields.fail(alg, 'needs a key of the client: set jwks or jwks_uri')
  }
  // OpenID Connect Registration §2 would have it encrypted without a signature.
  if (given('userinfo_encrypted_response_alg') && !given('userinfo_signed_response_alg')) {
    fields.fail(
      'userinfo_signed_response_alg',
      'is missing, and there is userinfo_encrypted_response_alg: what is encrypted is signed first',
    )
  }
}
