import type { Jwt } from '../forge.ts'
import { signedBy } from '../forge.ts'
import { type Check, type CheckTexts, found, type Outcome, PASSED, skipped } from '../report/report.ts'
import type { MadeJwt, Meddling } from './meddler.ts'
import type { RelyingParty } from './relying-party.ts'

const DAY = 86_400
const OTHER = 'https://somebody-else.example'

type Change = NonNullable<Meddling['id_token']>

/** Returns a change of claims; the id_token is signed by the key of the server. */
const claims =
  (change: (claims: Jwt['claims']) => Jwt['claims']): Change =>
  (made) =>
    signedBy(made.signer, { header: made.header, claims: { ...made.claims, ...change(made.claims) } })

/** A check that the client does not sign in by a changed id_token. */
export function refusesIdToken(
  texts: CheckTexts & { readonly of?: string; readonly found: string },
  ...changes: readonly Change[]
): Check<RelyingParty> {
  const { of, found: what, ...check } = texts
  const run = async (party: RelyingParty): Promise<Outcome> => {
    if (of !== undefined && !party.requests[0]?.has(of)) return skipped(`The client sends no ${of}.`)
    for (const change of changes) {
      const { is_signed_in, is_skipped } = await signInBy(party, change)
      if (is_skipped) return NONE
      if (is_signed_in) return found(what)
    }
    return PASSED
  }
  return { ...check, run }
}

/** A check that the client signs in by a changed id_token. */
export function takesIdToken(
  texts: CheckTexts & { readonly found: string },
  ...changes: readonly Change[]
): Check<RelyingParty> {
  const { found: what, ...check } = texts
  const run = async (party: RelyingParty): Promise<Outcome> => {
    for (const change of changes) {
      const { is_signed_in, is_skipped } = await signInBy(party, change)
      if (is_skipped) return NONE
      if (!is_signed_in) return found(what)
    }
    return PASSED
  }
  return { ...check, run }
}

const NONE = skipped('The client gets no id_token, or an encrypted one.')

async function signInBy(party: RelyingParty, change: Change) {
  let is_skipped = true
  const id_token: Change = (made: MadeJwt) => {
    is_skipped = false
    return change(made)
  }
  const { is_signed_in } = await party.signIn({ meddling: { id_token } })
  return { is_signed_in, is_skipped }
}

const VERIFIER = {
  go_oidc:
    'Call provider.Verifier(&oidc.Config{ClientID: id}).Verify(), without any of its Skip… and Insecure… fields.',
  authlib: 'Register the client with server_metadata_url, and read userinfo of authorize_access_token().',
  spring: 'Leave the JwtDecoderFactory of id_tokens as it is: OidcIdTokenValidator checks it.',
} as const

/** Checks of what an id_token says. */
export const ID_TOKEN_CHECKS: readonly Check<RelyingParty>[] = [
  refusesIdToken(
    {
      id: 'nonce-wrong',
      title: 'Refuses an id_token with another nonce',
      level: 'refuse',
      about: 'An id_token of another sign-in could be brought in (OpenID Connect Core §3.1.3.7, 11).',
      fix: 'Compare nonce with the one that this browser was sent with.',
      fixes: {
        openid_client: 'Give authorizationCodeGrant the expectedNonce.',
        go_oidc: 'Compare idToken.Nonce with the cookie: Verify does not.',
        auth_js: "checks: ['pkce', 'state', 'nonce'] of the provider.",
      },
      of: 'nonce',
      found: 'The client signs in although nonce is not the one that it sent.',
    },
    claims(() => ({ nonce: 'another-nonce-of-somebody-else' })),
  ),
  refusesIdToken(
    {
      id: 'nonce-missing',
      title: 'Refuses an id_token without the nonce that it sent',
      level: 'refuse',
      about:
        'A check that counts only what is there is left out by leaving it out (OpenID Connect Core §3.1.3.7, 11).',
      fix: 'Demand nonce where the request had it.',
      of: 'nonce',
      found: 'The client signs in although the id_token has no nonce.',
    },
    claims(() => ({ nonce: undefined })),
  ),
  refusesIdToken(
    {
      id: 'id-token-issuer',
      title: 'Refuses an id_token of another issuer',
      level: 'refuse',
      about: 'sub means somebody only together with iss (OpenID Connect Core §3.1.3.7, 2).',
      fix: 'Compare iss with the issuer, character by character.',
      fixes: VERIFIER,
      found: 'The client signs in although iss names another issuer.',
    },
    claims(() => ({ iss: OTHER })),
    claims(({ iss }) => ({ iss: `${iss}/` })),
    claims(() => ({ iss: undefined })),
  ),
  refusesIdToken(
    {
      id: 'audience-wrong',
      title: 'Refuses an id_token for another client',
      level: 'refuse',
      about:
        'Any other client of the issuer, a malicious one too, has id_tokens of its people (OpenID Connect Core §3.1.3.7, 3).',
      fix: 'Demand the own client_id in aud.',
      fixes: VERIFIER,
      found: 'The client signs in although aud does not name it.',
    },
    claims(() => ({ aud: 'another-client' })),
    claims(({ aud }) => ({ aud: `${aud}-2` })),
    claims(() => ({ aud: undefined })),
  ),
  refusesIdToken(
    {
      id: 'audience-several',
      title: 'Refuses an id_token for itself and a stranger',
      level: 'advice',
      about:
        'Audiences that are not trusted are to be refused (OpenID Connect Core §3.1.3.7, 3); many libraries do not.',
      fix: 'Refuse an aud with more than the own client_id.',
      found: 'The client signs in although aud names a stranger, too, and there is no azp.',
    },
    claims(({ aud }) => ({ aud: [aud, 'another-client'] })),
  ),
  refusesIdToken(
    {
      id: 'authorized-party-wrong',
      title: 'Refuses an id_token whose azp is another client',
      level: 'advice',
      about: 'azp says for whom it was issued (OpenID Connect Core §3.1.3.7, 5); many libraries do not look.',
      fix: 'Compare azp, if it is there, with the own client_id.',
      fixes: { go_oidc: 'Read azp by idToken.Claims(): Verify does not look.' },
      found: 'The client signs in although azp names another client.',
    },
    claims(({ aud }) => ({ aud: [aud, 'another-client'], azp: 'another-client' })),
  ),
  refusesIdToken(
    {
      id: 'subject-missing',
      title: 'Refuses an id_token without sub',
      level: 'refuse',
      about: 'Without sub nobody is named (OpenID Connect Core §2): all such people would be one account.',
      fix: 'Demand a sub that is a text and not empty.',
      fixes: { go_oidc: 'Refuse an empty idToken.Subject: Verify does not.' },
      found: 'The client signs in although the id_token names nobody.',
    },
    claims(() => ({ sub: undefined })),
  ),
  refusesIdToken(
    {
      id: 'expired',
      title: 'Refuses an id_token that has expired',
      level: 'refuse',
      about: 'An old id_token says nothing of today (OpenID Connect Core §3.1.3.7, 9).',
      fix: 'Compare exp with the clock, with a leeway of a minute at most.',
      fixes: VERIFIER,
      found: 'The client signs in although the id_token expired a day ago.',
    },
    claims(({ iat }) => ({ iat: Number(iat) - 2 * DAY, exp: Number(iat) - DAY })),
  ),
  refusesIdToken(
    {
      id: 'expiry-missing',
      title: 'Refuses an id_token without exp',
      level: 'refuse',
      about: 'exp is required (OpenID Connect Core §2): without it an id_token is good for ever.',
      fix: 'Demand exp.',
      found: 'The client signs in although the id_token has no end.',
    },
    claims(() => ({ exp: undefined })),
  ),
  refusesIdToken(
    {
      id: 'issued-far-away',
      title: 'Refuses an id_token of a year ago, or of tomorrow',
      level: 'advice',
      about: 'An id_token of this sign-in is seconds old: iat shows it (OpenID Connect Core §3.1.3.7, 10).',
      fix: 'Refuse an iat that is more than some minutes away from the clock.',
      found: 'The client signs in although iat is far away from the clock.',
    },
    claims(({ iat }) => ({ iat: Number(iat) - 365 * DAY })),
    claims(({ iat }) => ({ iat: Number(iat) + DAY, exp: Number(iat) + 2 * DAY })),
  ),
  refusesIdToken(
    {
      id: 'access-token-hash',
      title: 'Refuses an id_token with another at_hash',
      level: 'advice',
      about:
        'at_hash binds the access token to the id_token (OpenID Connect Core §3.1.3.8). Both come in one answer over TLS, so it is optional here.',
      fix: 'Compare at_hash, if it is there, with the access token.',
      fixes: { go_oidc: 'Call idToken.VerifyAccessToken(token.AccessToken).' },
      found: 'The client signs in although at_hash is of another access token.',
    },
    claims(() => ({ at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' })),
  ),
  refusesIdToken(
    {
      id: 'type-wrong',
      title: 'Refuses an access token in place of the id_token',
      level: 'advice',
      about: 'typ tells kinds of JWTs of one issuer apart (RFC 8725 §3.11, RFC 9068 §2.1); few clients look.',
      fix: 'Refuse an id_token whose typ is there and not JWT.',
      found: 'The client signs in although typ says that it is an access token.',
    },
    ({ signer, header, claims }) => signedBy(signer, { header: { ...header, typ: 'at+jwt' }, claims }),
  ),
  takesIdToken(
    {
      id: 'audience-list',
      title: 'Takes an id_token whose aud is a list of one',
      level: 'survive',
      about: 'aud is a text or a list (OpenID Connect Core §2): servers change between them.',
      fix: 'Read aud in both forms.',
      found: 'The client refuses an id_token whose aud is a list of its client_id alone.',
    },
    claims(({ aud }) => ({ aud: [aud] })),
  ),
  takesIdToken(
    {
      id: 'clock-ahead',
      title: 'Takes an id_token of a server whose clock is ahead by five seconds',
      level: 'survive',
      about: 'No two clocks agree (RFC 7519 §4.1.4 allows for a few minutes).',
      fix: 'Allow for a minute at iat, nbf and exp.',
      fixes: {
        openid_client: 'Set clockTolerance in the metadata of the client.',
        authlib: 'Leave the leeway of 120 seconds as it is.',
      },
      found: 'The client refuses an id_token that was issued five seconds from now.',
    },
    claims(({ iat }) => ({ iat: Number(iat) + 5, auth_time: undefined })),
  ),
  takesIdToken(
    {
      id: 'unusual-claims',
      title: 'Takes names of all languages and claims that it does not know',
      level: 'survive',
      about:
        'Claims that are not understood are to be ignored (OpenID Connect Core §2), and names are Unicode.',
      fix: 'Decode the claims as UTF-8, and ignore those that you do not use.',
      found:
        'The client refuses an id_token with a name in other letters, and with claims that it does not know.',
    },
    claims(() => ({ name: 'Zoë 李 O’Neill <b>', 'https://example.com/x': { a: [1, null] }, address: null })),
  ),
  takesIdToken(
    {
      id: 'large-id-token',
      title: 'Takes an id_token of six kilobytes',
      level: 'survive',
      about:
        'Somebody in three hundred groups has one. Browsers drop a cookie above 4,096 bytes without a word, and the person begins anew.',
      fix: 'Keep the session on the server, or only what you use of the id_token in the cookie.',
      fixes: { spring: 'Nothing: the session is on the server.', auth_js: 'Nothing: it splits its cookie.' },
      found: 'The client does not sign in somebody with many groups.',
    },
    claims(() => ({ groups: Array.from({ length: 300 }, (_, index) => `department-${index}`) })),
  ),
]
