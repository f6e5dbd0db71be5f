import { macBy, pemOf, type Signer, signedBy, unsecured, withFlippedBit, withSignature } from '../forge.ts'
import { type Check, found, PASSED, skipped } from '../report/report.ts'
import { refusesIdToken, takesIdToken } from './id-token-checks.ts'
import type { MadeJwt } from './meddler.ts'
import type { RelyingParty } from './relying-party.ts'

/** Returns the same id_token as another key signs it. */
const by = ({ header, claims }: MadeJwt, key: Signer, more: object = {}): string =>
  signedBy(key, { header: { ...header, alg: key.alg, kid: key.kid, ...more }, claims })

/**
 * A client that never reads the keys relies on TLS, as it may where the id_token comes from the token endpoint (OpenID
 * Connect Core §3.1.3.7, 6); one that reads them must get it right.
 */
function whereItChecks(check: Check<RelyingParty>): Check<RelyingParty> {
  const run = async (party: RelyingParty) => {
    const outcome = await check.run(party)
    return outcome.is === 'found' && !party.meddler.has_read_keys
      ? found(`${outcome.found} It never reads the keys of the issuer, and relies on TLS.`, 'advice')
      : outcome
  }
  return { ...check, run }
}

const ALLOWED =
  'Where the id_token comes from the token endpoint over TLS, a client may leave the signature out (OpenID Connect Core §3.1.3.7, 6); one that begins to check it must refuse this.'

const CHECKS_SIGNATURES = {
  openid_client: 'enableNonRepudiationChecks(config): by default it relies on TLS.',
  go_oidc: 'Call provider.Verifier(…).Verify() without InsecureSkipSignatureCheck.',
  authlib: 'Register the client with server_metadata_url, so that it finds jwks_uri.',
} as const

/** Checks of who signed an id_token. */
export const SIGNATURE_CHECKS: readonly Check<RelyingParty>[] = [
  refusesIdToken(
    {
      id: 'alg-none',
      title: 'Refuses an id_token without a signature',
      level: 'refuse',
      about:
        'Everybody can write one (RFC 8725 §3.2; OpenID Connect Core §2 forbids it unless it was agreed on).',
      fix: 'Take the algorithms that are configured or in the metadata, and none for none of them.',
      fixes: { jose: 'Give jwtVerify the algorithms.' },
      found: 'The client signs in by an id_token with alg none.',
    },
    (made) => unsecured(made),
    // Of those who look for the word only.
    ({ header, claims }) => withSignature({ header: { ...header, alg: 'None' }, claims }, new Uint8Array()),
  ),
  refusesIdToken(
    {
      id: 'public-key-as-secret',
      title: 'Refuses HS256 with the public key as the secret',
      level: 'refuse',
      about:
        'A library that takes any key for any algorithm takes the public key for a secret (RFC 8725 §2.1, §3.1).',
      fix: 'Allow the algorithms of the issuer only, each with keys of its own type.',
      fixes: { jose: 'Give jwtVerify the algorithms.' },
      found: 'The client signs in by an id_token that anybody can make of the public key.',
    },
    (made) => macBy(pemOf(made.signer.publicKey), made),
    (made) => macBy(pemOf(made.signer.publicKey).trim(), made),
    (made) => macBy(JSON.stringify(made.signer.publicKey.export({ format: 'jwk' })), made),
  ),
  whereItChecks(
    refusesIdToken(
      {
        id: 'signature-wrong',
        title: 'Refuses an id_token with a wrong signature',
        level: 'refuse',
        about: ALLOWED,
        fix: 'Check the signature by the keys at jwks_uri.',
        fixes: CHECKS_SIGNATURES,
        found: 'The client signs in although the signature is wrong.',
      },
      (made) => withFlippedBit(by(made, made.signer)),
      (made) => by(made, { ...made.spare.signer('unknown', made.signer.alg), kid: made.signer.kid }),
    ),
  ),
  whereItChecks(
    refusesIdToken(
      {
        id: 'key-unknown',
        title: 'Refuses an id_token of a key that the issuer does not publish',
        level: 'refuse',
        about: ALLOWED,
        fix: 'Refuse a kid that the key set lacks, also after it was read again.',
        fixes: CHECKS_SIGNATURES,
        found: 'The client signs in by a key that the issuer does not publish.',
      },
      (made) => by(made, made.spare.signer('unknown', made.signer.alg)),
    ),
  ),
  whereItChecks(
    refusesIdToken(
      {
        id: 'key-in-header',
        title: 'Refuses a key that comes in the id_token itself',
        level: 'refuse',
        about: 'Everybody can sign by a key of his own and send it along (RFC 8725 §3.10, RFC 7515 §10.3).',
        fix: 'Never use jwk, jku, x5c and x5u of the header.',
        found: 'The client signs in by a key that came in the header of the id_token.',
      },
      (made) => {
        const key = made.spare.signer('unknown', made.signer.alg)
        return by(made, key, { jwk: made.spare.jwk('unknown', made.signer.alg) })
      },
    ),
  ),
  takesIdToken(
    {
      id: 'key-next',
      title: 'Takes an id_token of the next key of the issuer',
      level: 'survive',
      about: 'Keys change. The next one is published long before it signs (OpenID Connect Core §10.1.1).',
      fix: 'Choose the key by kid of all that are published; pin none.',
      found: 'The client refuses a key that was published before it ever signed in.',
    },
    (made) => by(made, made.spare.signer('next', made.signer.alg)),
  ),
  takesIdToken(
    {
      id: 'keys-with-one-kid',
      title: 'Survives two keys of different types with one kid',
      level: 'survive',
      about: 'A kid need not be unique among keys of different types (RFC 7517 §4.5).',
      fix: 'Choose the key by kid, kty and alg together.',
      found: 'The client refuses a key that shares its kid with one of another type.',
    },
    (made) => by(made, made.spare.signer('first-twin', made.signer.alg)),
    (made) => by(made, made.spare.signer('second-twin', made.signer.alg)),
  ),
  {
    id: 'key-sudden',
    title: 'Takes a key that was published just now',
    level: 'advice',
    about:
      'When a key is stolen its issuer signs by a new one at once. Who reads the key set again for an unknown kid goes on; who waits out a cache locks people out meanwhile.',
    fix: 'Read the key set again when a kid is unknown, at most every few seconds.',
    fixes: {
      openid_client: 'Nothing: it reads them again after a minute at the earliest.',
      jose: 'cooldownDuration of createRemoteJWKSet.',
    },
    run: async (party) => {
      const { spare } = party.meddler
      let alg: MadeJwt['signer']['alg'] | undefined
      const learnAlg = (made: MadeJwt) => {
        alg = made.signer.alg
        return by(made, made.signer)
      }
      await party.signIn({ meddling: { id_token: learnAlg } })
      if (alg === undefined) return skipped('The client gets no id_token, or an encrypted one.')
      const { is_signed_in } = await party.signIn({
        meddling: {
          keys: [spare.jwk('sudden', alg)],
          id_token: (made) => by(made, spare.signer('sudden', made.signer.alg)),
        },
      })
      return is_signed_in ? PASSED : found('The client does not read the key set again for an unknown kid.')
    },
  },
]
