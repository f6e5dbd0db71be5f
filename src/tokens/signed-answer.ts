import type { EncryptionKeys } from '../clients/keys/encryption-keys.ts'
import type { Client } from '../clients/record/client-record.ts'
import { defaultAlg } from '../clients/record/profiles.ts'
import type { EncryptedAnswer } from '../clients/record/signed-answer-fields.ts'
import type { Settings } from '../config/settings.ts'
import type { EncryptionEnc } from '../core/algs.ts'
import type { EncryptionKey } from '../keys/encryption-key.ts'
import type { KeyRing, SigningKey } from '../keys/ring.ts'
import { type JwtType, signJwt } from './jwt.ts'
import { publishedAlg } from './plan.ts'

/** What can be signed for a client besides tokens: the first part of the names of its fields. */
export type SignedAnswer = Exclude<EncryptedAnswer, 'id_token'>

/** What encrypting to a client needs. */
export interface EncryptionContext {
  readonly encryption_keys: Pick<EncryptionKeys, 'demand'>
}

/** What signing an answer, and encrypting it, needs. */
export interface SignedAnswerContext extends EncryptionContext {
  readonly settings: Pick<Settings, 'id_token_alg' | 'issuer' | 'signing_algs'>
  readonly keys: Pick<KeyRing, 'firstKeys' | 'signingKey'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Whom a JWT is encrypted to. */
export interface Recipient {
  readonly key: EncryptionKey
  readonly enc: EncryptionEnc
}

/** The keys of an answer to a client. */
export interface AnswerKeys {
  readonly signing: SigningKey
  /** Absent: it is not encrypted. */
  readonly recipient?: Recipient
}

/**
 * Finds the keys of an answer to a client. Keys can be missing, so this comes before anything is written or spent.
 * @throws StorageUnavailable if no key can sign; OAuthError `server_error` if the client has an algorithm that
 * SIGNING_ALGS lacks; as findRecipient
 */
export async function findAnswerKeys(
  context: Omit<SignedAnswerContext, 'now'>,
  client: Client,
  what: SignedAnswer,
): Promise<AnswerKeys> {
  const { settings, keys } = context
  const first = keys.firstKeys()
  if (first !== undefined) await first
  const alg = publishedAlg(settings, client[`${what}_signed_response_alg`], `The client ${client.client_id}`)
  const signing = keys.signingKey(alg ?? defaultAlg(client, settings.id_token_alg))
  const recipient = await findRecipient(context, client, what)
  return { signing, ...(recipient && { recipient }) }
}

/**
 * Finds the key that an answer to a client is encrypted to; undefined: the client is not registered for that.
 * @throws OAuthError `temporarily_unavailable` or `invalid_client_metadata` if there is no key
 */
export function findRecipient(
  { encryption_keys }: EncryptionContext,
  client: Client,
  what: EncryptedAnswer,
): Promise<Recipient> | undefined {
  const alg = client[`${what}_encrypted_response_alg`]
  if (alg === undefined) return undefined
  const enc = client[`${what}_encrypted_response_enc`] ?? 'A256GCM'
  return encryption_keys.demand(client, alg).then((key) => ({ key, enc }))
}

/** Returns an answer to a client as a JWT: signed, and then encrypted. */
export function writeAnswer(
  { signing, recipient }: AnswerKeys,
  typ: JwtType,
  claims: object,
): string | Promise<string> {
  const jwt = signJwt(signing, typ, claims)
  return recipient === undefined ? jwt : encryptJwt(recipient, jwt)
}

/** Returns a signed JWT in a JWE, a Nested JWT (RFC 7519 §5.2 and §11.2). */
export async function encryptJwt({ key, enc }: Recipient, jwt: string): Promise<string> {
  const { CompactEncrypt } = await import('jose/jwe/compact/encrypt')
  const { alg, kid, publicKey } = key
  return await new CompactEncrypt(Buffer.from(jwt))
    .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }), cty: 'JWT' })
    .encrypt(publicKey)
}
