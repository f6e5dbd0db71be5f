// The only importer of the library, which is loaded when the first passkey is used.
import {
  type VerifyRegistrationResponseOpts,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers'
import type { Passkey } from '../factors-record.ts'
import { ALGORITHMS } from './algorithms.ts'
import type { PasskeyAnswer } from './answer.ts'
import type { PasskeyRelyingParty } from './relying-party.ts'

/** What an authenticator proved, and the flags that it sent (WebAuthn Level 3 §6.1). */
export interface ProvenUse {
  readonly counter: number
  readonly user_verified: boolean
  readonly backup_eligible: boolean
  readonly backed_up: boolean
}

/** What is known of a passkey that was made. */
export type ProvenPasskey = ProvenUse & Pick<Passkey, 'public_key' | 'aaguid'>

type RegistrationResponse = VerifyRegistrationResponseOpts['response']['response']

/**
 * Verifies that a passkey was made for a challenge (WebAuthn Level 3 §7.1). Undefined: it was not, or without asking who the
 * person is, or with another algorithm.
 */
export async function verifyCreation(
  { id, challenge, response }: PasskeyAnswer,
  { id: expectedRPID, origin: expectedOrigin }: PasskeyRelyingParty,
): Promise<ProvenPasskey | undefined> {
  try {
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: withoutAttestation(response as object as RegistrationResponse),
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...ALGORITHMS],
    })
    if (!verified || info.credential.id !== id) return undefined
    return {
      public_key: Buffer.from(info.credential.publicKey).toString('base64url'),
      aaguid: info.aaguid,
      counter: info.credential.counter,
      user_verified: info.userVerified,
      backup_eligible: info.credentialDeviceType === 'multiDevice',
      backed_up: info.credentialBackedUp,
    }
  } catch {
    return undefined
  }
}

/**
 * Verifies that a passkey signed a challenge (WebAuthn Level 3 §7.2), and that its device asked who the person is.
 * Undefined:
 * it did not. What the counter and the flags mean is left to the caller.
 */
export async function verifyUse(
  { id, challenge, response }: PasskeyAnswer,
  { id: expectedRPID, origin: expectedOrigin }: PasskeyRelyingParty,
  public_key: string,
): Promise<ProvenUse | undefined> {
  try {
    const { clientDataJSON, authenticatorData, signature } = response
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: String(clientDataJSON),
          authenticatorData: String(authenticatorData),
          signature: String(signature),
        },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')), counter: 0 },
    })
    if (!verified) return undefined
    return {
      counter: info.newCounter,
      user_verified: info.userVerified,
      backup_eligible: info.credentialDeviceType === 'multiDevice',
      backed_up: info.credentialBackedUp,
    }
  } catch {
    return undefined
  }
}

// Who made the authenticator is not asked, so what it says about that is neither read nor trusted.
function withoutAttestation(response: RegistrationResponse): RegistrationResponse {
  const given = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')))
  const none = new Map<string, string | Map<string, string> | Uint8Array>()
  none.set('fmt', 'none').set('attStmt', new Map()).set('authData', given.get('authData'))
  return { ...response, attestationObject: Buffer.from(isoCBOR.encode(none)).toString('base64url') }
}
