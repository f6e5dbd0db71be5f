import { ENCRYPTION_ALGS, ENCRYPTION_ENCS, SIGNING_ALGS } from '../../core/algs.ts'
import { type Flag, oneOf } from '../../core/field-kinds.ts'
import type { FieldTable } from '../../core/field-table.ts'

const algFlag = (help: string, clear: string): Flag => ({ group: 'answers', value: 'alg', help, clear })

const encryptedAlg = (what: string, label: string) =>
  oneOf(ENCRYPTION_ALGS, {
    label,
    flag: algFlag(
      `the algorithm that encrypts ${what} to a key of the client; \`--jwks\` or \`--jwks-uri\` has the key`,
      'sign it only',
    ),
    docs: `\`ECDH-ES\` or \`RSA-OAEP-256\`: ${what} is [encrypted](signed-responses.md#encryption) to a key of the client; default: it is not`,
  })

// A256GCM is the only one, so that nobody has to set it. The default of the standards is A128CBC-HS256, so a client that
// describes itself has to say A256GCM (client-metadata.ts).
const encryptedEnc = (what: string, label: string) =>
  oneOf(ENCRYPTION_ENCS, {
    label,
    flag: algFlag(
      `the algorithm of the content where ${what} is encrypted (default: A256GCM)`,
      'reset to A256GCM',
    ),
    docs: `the algorithm of the content where ${what} is encrypted: \`A256GCM\`, which is also the default`,
  })

/** The client fields that say how answers to the client are signed and encrypted. */
export const SIGNED_ANSWER_FIELDS = {
  /** The algorithm of its authorization responses as JWTs (JARM §3); absent: the server's ID_TOKEN_ALG. */
  authorization_signed_response_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of answers to a sign-in',
    flag: algFlag(
      'the algorithm that signs its authorization responses in the response modes `jwt`, `query.jwt` and `form_post.jwt`',
      "reset to the servers' algorithm",
    ),
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`, for [signed authorization responses](signed-responses.md#authorization-responses); default: `ID_TOKEN_ALG`',
  }),
  /** The algorithm of its introspection responses (RFC 9701 §6); absent: a JWT only if it asks for one. */
  introspection_signed_response_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of introspection',
    flag: algFlag(
      'the algorithm that signs its introspection responses, which are then always JWTs',
      'a JWT only for a request that accepts one',
    ),
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`: what it learns by introspection is [a signed JWT](signed-responses.md#introspection); default: JSON, or a JWT by `ID_TOKEN_ALG` for a request that accepts one',
  }),
  /** The algorithm of its user information (OpenID Connect Registration §2); absent: plain JSON. */
  userinfo_signed_response_alg: oneOf(SIGNING_ALGS, {
    label: 'Signature of user information',
    flag: algFlag('the algorithm that signs its user information', 'user information as plain JSON'),
    docs: '`RS256`, `ES256`, `PS256` or `EdDSA`: its user information is [a signed JWT](signed-responses.md#user-information); default: plain JSON',
  }),
  /** How its id_tokens are encrypted (OpenID Connect Registration §2); absent: they are not. */
  id_token_encrypted_response_alg: encryptedAlg('each id_token', 'Encryption of ID tokens'),
  id_token_encrypted_response_enc: encryptedEnc('each id_token', 'Algorithm of encrypted ID tokens'),
  /** How its authorization responses as JWTs are encrypted (JARM §3); absent: they are not. */
  authorization_encrypted_response_alg: encryptedAlg(
    'each authorization response as a JWT',
    'Encryption of answers to a sign-in',
  ),
  authorization_encrypted_response_enc: encryptedEnc(
    'each authorization response as a JWT',
    'Algorithm of encrypted answers to a sign-in',
  ),
  /** How its introspection responses are encrypted, which are then always JWTs (RFC 9701 §6); absent: they are not. */
  introspection_encrypted_response_alg: encryptedAlg(
    'what it learns by introspection',
    'Encryption of introspection',
  ),
  introspection_encrypted_response_enc: encryptedEnc(
    'what it learns by introspection',
    'Algorithm of encrypted introspection',
  ),
  /** How its user information is encrypted (OpenID Connect Registration §2); absent: it is not. */
  userinfo_encrypted_response_alg: encryptedAlg('its user information', 'Encryption of user information'),
  userinfo_encrypted_response_enc: encryptedEnc(
    'its user information',
    'Algorithm of encrypted user information',
  ),
} satisfies FieldTable

/** What can be encrypted to a client: the first part of the names of its fields. */
export const ENCRYPTED_ANSWERS = ['id_token', 'authorization', 'introspection', 'userinfo'] as const
export type EncryptedAnswer = (typeof ENCRYPTED_ANSWERS)[number]
