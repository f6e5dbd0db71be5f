import type { Client } from '../clients/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { KeyRing, SigningKey } from '../keys/ring.ts'
import { type JwtType, signJwt } from './jwt.ts'
import { publishedAlg } from './plan.ts'

/** What can be signed for a client besides tokens: the first part of the names of its fields. */
export type SignedAnswer = 'authorization' | 'introspection' | 'userinfo'

/** What signing an answer needs. */
export interface SignedAnswerContext {
  readonly settings: Pick<Settings, 'id_token_alg' | 'issuer' | 'signing_algs'>
  readonly keys: Pick<KeyRing, 'firstKeys' | 'signingKey'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The keys of an answer to a client. */
export interface AnswerKeys {
  readonly signing: SigningKey
}

/**
 * Finds the keys of an answer to a client. Keys can be missing, so this comes before anything is written or spent.
 * @throws StorageUnavailable if no key can sign; OAuthError `server_error` if the client has an algorithm that
 * SIGNING_ALGS lacks
 */
export async function findAnswerKeys(
  { settings, keys }: Omit<SignedAnswerContext, 'now'>,
  client: Client,
  what: SignedAnswer,
): Promise<AnswerKeys> {
  const first = keys.firstKeys()
  if (first !== undefined) await first
  const alg = publishedAlg(settings, client[`${what}_signed_response_alg`], `The client ${client.client_id}`)
  return { signing: keys.signingKey(alg ?? settings.id_token_alg) }
}

/** Returns an answer to a client as a JWT. */
export function writeAnswer({ signing }: AnswerKeys, typ: JwtType, claims: object): string {
  return signJwt(signing, typ, claims)
}
