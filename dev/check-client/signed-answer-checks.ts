import { macBy, pemOf, signedBy, unsecured, withFlippedBit } from '../forge.ts'
import { type Check, type CheckTexts, found, type Outcome, PASSED, skipped } from '../report/report.ts'
import type { MadeJwt } from './meddler.ts'
import type { RelyingParty, SignIn } from './relying-party.ts'

const OTHER = 'https://somebody-else.example'

type Change = NonNullable<SignIn['response']>

/** A check that a client that asks for signed answers does not sign in by another one. */
function refusesResponse(
  texts: CheckTexts & { readonly found: string },
  ...changes: readonly Change[]
): Check<RelyingParty> {
  const { found: what, ...check } = texts
  const run = async (party: RelyingParty): Promise<Outcome> => {
    if (!/(^|\.)jwt$/.test(party.requests[0]?.get('response_mode') ?? ''))
      return skipped('The client asks for no signed answers.')
    for (const response of changes) {
      const { is_signed_in } = await party.signIn({ response })
      if (is_signed_in) return found(what)
    }
    return PASSED
  }
  return { ...check, run }
}

const claims =
  (change: (claims: MadeJwt['claims']) => MadeJwt['claims']): Change =>
  ({ signer, header, claims }) =>
    signedBy(signer, { header, claims: { ...claims, ...change(claims) } })

/** Checks of an answer that is a JWT (JARM): it comes by way of the browser, so its signature counts always. */
export const SIGNED_ANSWER_CHECKS: readonly Check<RelyingParty>[] = [
  refusesResponse(
    {
      id: 'signed-answer-plain',
      title: 'Refuses an answer without a signature where it asked for a signed one',
      level: 'refuse',
      about: 'Who takes both protects nothing by asking for one (JARM §2.3).',
      fix: 'Read the parameter response alone.',
      fixes: { openid_client: 'useJwtResponseMode(config).' },
      found: 'The client signs in by code and state as they are.',
    },
    () => undefined,
  ),
  refusesResponse(
    {
      id: 'signed-answer-issuer',
      title: 'Refuses a signed answer of another issuer',
      level: 'refuse',
      about: 'A client of several issuers would send the code to the wrong one (JARM §2.4).',
      fix: 'Compare iss in the answer with the issuer that the person was sent to.',
      found: 'The client signs in although iss of the answer names another issuer.',
    },
    claims(() => ({ iss: OTHER })),
    claims(() => ({ iss: undefined })),
  ),
  refusesResponse(
    {
      id: 'signed-answer-audience',
      title: 'Refuses a signed answer for another client',
      level: 'refuse',
      about: 'The answer to a client of an attacker would do (JARM §2.4).',
      fix: 'Demand the own client_id in aud.',
      found: 'The client signs in although aud of the answer does not name it.',
    },
    claims(() => ({ aud: 'another-client' })),
    claims(() => ({ aud: undefined })),
  ),
  refusesResponse(
    {
      id: 'signed-answer-expired',
      title: 'Refuses a signed answer that has expired',
      level: 'refuse',
      about: 'An answer that leaked is tried later (JARM §2.4).',
      fix: 'Compare exp with the clock, and demand it.',
      found: 'The client signs in although the answer expired an hour ago, or has no end.',
    },
    claims(({ exp }) => ({ exp: Number(exp) - 4200 })),
    claims(() => ({ exp: undefined })),
  ),
  refusesResponse(
    {
      id: 'signed-answer-unsecured',
      title: 'Refuses an answer that anybody can sign',
      level: 'refuse',
      about: 'alg must not be none (JARM §2.4), nor the public key a secret (RFC 8725 §2.1).',
      fix: 'Allow authorization_signed_response_alg of the client, and nothing else.',
      found: 'The client signs in by an answer with alg none, or with a MAC by the public key.',
    },
    (made) => unsecured(made),
    (made) => macBy(pemOf(made.signer.publicKey), made),
  ),
  refusesResponse(
    {
      id: 'signed-answer-signature',
      title: 'Refuses an answer with a wrong signature',
      level: 'refuse',
      about: 'The answer comes by way of the browser, where everybody can write another one (JARM §2.4).',
      fix: 'Check the signature by the keys at jwks_uri.',
      found: 'The client signs in although the signature of the answer is wrong.',
    },
    ({ signer, header, claims }) => withFlippedBit(signedBy(signer, { header, claims })),
    ({ spare, signer, header, claims }) => {
      const stranger = spare.signer('unknown', signer.alg)
      return signedBy(stranger, { header: { ...header, kid: stranger.kid }, claims })
    },
  ),
]
