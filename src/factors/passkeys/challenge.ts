import type { Settings } from '../../config/settings.ts'
import type { Sealer } from '../../keys/sealer.ts'
import { relyingParty } from './relying-party.ts'

/**
 * What a passkey is asked for: to sign in, to make an account by an invitation, for a new password by a link, or in
 * place of lost ones.
 */
export type PasskeyPurpose = 'sign_in' | 'join' | 'reset' | 'renew'

/** What a challenge is for. */
export interface ChallengeFor {
  readonly purpose: PasskeyPurpose
  /**
   * What only one browser has at that moment, such as the name of its pending request, or a link with the browser that
   * opened it.
   */
  readonly bound_to: string
}

/** What it takes to make and judge challenges. */
export interface ChallengeContext {
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Seconds until a challenge ends. */
export const CHALLENGE_TTL = 300

/**
 * Returns a challenge, base64url. It is sealed, so that nothing is stored for somebody who is not signed in; its salt has
 * 192 random bits.
 * @throws StorageUnavailable, as Sealer.seal
 */
export function newChallenge({ sealer, now }: ChallengeContext, { purpose, bound_to }: ChallengeFor): string {
  const ends_at = now() + CHALLENGE_TTL * 1000
  const sealed = sealer.seal('passkey', JSON.stringify([purpose, bound_to, ends_at]))
  return Buffer.from(sealed).toString('base64url')
}

/**
 * Whether a challenge was made for this, and did not end. That it counts once is left to the caller.
 * @throws StorageUnavailable, as Sealer.open
 */
export function isChallengeFor(
  { sealer, now }: ChallengeContext,
  { purpose, bound_to }: ChallengeFor,
  challenge: string,
): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  // A challenge has one spelling, so that another one is not another challenge (RFC 4648 §3.5).
  if (bytes.toString('base64url') !== challenge) return false
  const text = sealer.open('passkey', bytes.toString())
  if (text === undefined) return false
  const [is_for, belongs_to, ends_at] = JSON.parse(text) as [string, string, number]
  return is_for === purpose && belongs_to === bound_to && ends_at > now()
}

/**
 * Returns what the page asks the browser for (WebAuthn Level 3 §5.5), as JSON to put into `data-passkey-options`. Nothing is
 * stored.
 * @throws StorageUnavailable, as Sealer.seal
 */
export function requestOptions(
  context: ChallengeContext & { readonly settings: Pick<Settings, 'issuer'> },
  is_for: ChallengeFor,
): object {
  return {
    rpId: relyingParty(context.settings).id,
    challenge: newChallenge(context, is_for),
    timeout: CHALLENGE_TTL * 1000,
    userVerification: 'required',
    // Any, so that no username is needed.
    allowCredentials: [],
  }
}
