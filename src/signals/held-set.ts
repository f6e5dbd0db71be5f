import { hash } from 'node:crypto'
import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { ClientId } from '../core/ids.ts'
import { isObject, parseObject } from '../core/json.ts'
import { type IssSub, SET_TYP, type SetEventUri } from '../core/security-events.ts'
import type { KeyRing } from '../keys/ring.ts'
import { signJwt } from '../tokens/jwt.ts'

/** A subject that is more than a person: the session of one (SSF 1.0, Complex Subjects). */
export interface SessionSubject {
  readonly format: 'complex'
  readonly user: IssSub
  readonly session: { readonly format: 'opaque'; readonly id: string }
}

/** Whom or what a token is about. */
export type SetSubject = IssSub | SessionSubject | EmailSubject | StreamSubject
/** A stream itself (SSF 1.0, Verification Event). */
interface StreamSubject {
  readonly format: 'opaque'
  readonly id: string
}
/** An address (RFC 9493 §3.2.3), as RISC wants it for one that changed. */
interface EmailSubject {
  readonly format: 'email'
  readonly email: string
}

/** What a receiver is to be told, as its outbox holds it: it is signed when it is delivered. */
export interface HeldSet {
  readonly jti: string
  /** In seconds since 1970. */
  readonly iat: number
  /** The same for all that came of one cause, for this receiver alone. Absent: its receiver asked for it. */
  readonly txn?: string
  readonly sub_id: SetSubject
  readonly event: SetEventUri
  readonly claims: Readonly<Record<string, unknown>>
}

/** What it takes to sign tokens. */
export interface SetSigner {
  readonly settings: Pick<Settings, 'issuer' | 'id_token_alg'>
  readonly keys: Pick<KeyRing, 'signingKey'>
}

/**
 * Returns a signed security event token (RFC 8417; SSF 1.0, Security Event Token Profile): without `exp` and `sub`, and with
 * a type of its own, so that nothing takes it for another token.
 * @throws StorageUnavailable if the key ring is out of date
 */
export function signSet(
  { settings, keys }: SetSigner,
  {
    client_id,
    id_token_signed_response_alg: alg,
  }: Pick<Client, 'client_id' | 'id_token_signed_response_alg'>,
  { jti, iat, txn, sub_id, event, claims }: HeldSet,
): string {
  return signJwt(keys.signingKey(alg ?? settings.id_token_alg), SET_TYP, {
    iss: settings.issuer,
    jti,
    iat,
    aud: client_id,
    ...(txn !== undefined && { txn }),
    sub_id,
    events: { [event]: claims },
  })
}

/** Returns the text of what is held. */
export function formatHeld({ jti, iat, txn, sub_id, event, claims }: HeldSet): string {
  return JSON.stringify({ jti, iat, txn, sub_id, event, claims })
}

/** Returns what is held; undefined for any text that formatHeld did not write. */
export function parseHeld(text: string): HeldSet | undefined {
  const held = parseObject(text)
  const is_whole =
    held !== undefined &&
    typeof held.jti === 'string' &&
    typeof held.iat === 'number' &&
    typeof held.event === 'string' &&
    isObject(held.sub_id) &&
    isObject(held.claims)
  return is_whole ? (held as unknown as HeldSet) : undefined
}

/** Returns the `txn` of what an entry of the audit trail caused, for one receiver: no two can compare theirs. */
export function transactionOf(entry_id: string, client_id: ClientId): string {
  return hash('sha256', JSON.stringify(['txn', entry_id, client_id]), 'base64url').slice(0, 22)
}

/** Returns the `jti` of one of the tokens of a transaction: the same if it is made again. */
export function jtiOf(txn: string, number: number): string {
  return hash('sha256', JSON.stringify(['jti', txn, number]), 'base64url').slice(0, 22)
}
