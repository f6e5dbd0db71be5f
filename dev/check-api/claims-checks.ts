import type { Check } from '../report/report.ts'
import type { Api } from './api.ts'
import { forbids, refuses, takes } from './kinds.ts'

const OTHER = 'https://somebody-else.example'
const HOUR = 3600

const seconds = ({ options }: Api) => Math.floor(options.now() / 1000)
const claims = (change: (api: Api) => Readonly<Record<string, unknown>>) => (api: Api) =>
  api.token({ claims: change(api) })
const typed = (typ: string | undefined) => (api: Api) => api.token({ header: { typ } })

const inOtherCase = (text: string) => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase())

const AUDIENCE = {
  jose: 'Give jwtVerify the audience.',
  spring: 'spring.security.oauth2.resourceserver.jwt.audiences.',
  resource_server: 'Set resource.',
} as const
const ISSUER = {
  jose: 'Give jwtVerify the issuer.',
  spring: 'Set issuer-uri, not jwk-set-uri alone.',
  resource_server: 'Set issuer.',
} as const
const TYPE = {
  jose: "Give jwtVerify typ: 'at+jwt'.",
  spring: 'JwtValidators.createAtJwtValidator(), and a decoder whose own check of typ is off.',
  resource_server: 'Nothing: it does.',
} as const

/** Checks of what a token says. */
export const CLAIMS_CHECKS: readonly Check<Api>[] = [
  refuses(
    {
      id: 'issuer-wrong',
      title: 'Refuses a token of another issuer',
      level: 'refuse',
      about: 'sub and scope mean something only together with iss (RFC 9068 §4).',
      fix: 'Compare iss with the configured issuer.',
      fixes: ISSUER,
    },
    claims(() => ({ iss: OTHER })),
  ),
  refuses(
    {
      id: 'issuer-near',
      title: 'Compares the issuer character by character',
      level: 'refuse',
      about: 'An issuer that only begins alike is another one (RFC 9068 §4: exactly).',
      fix: 'Compare the whole text, without a slash more or less.',
      fixes: ISSUER,
    },
    claims(({ options }) => ({ iss: `${options.issuer}/` })),
    claims(({ options }) => ({ iss: `${options.issuer}.evil.example` })),
    claims(({ options }) => ({ iss: [options.issuer, OTHER] })),
  ),
  refuses(
    {
      id: 'issuer-missing',
      title: 'Refuses a token without iss',
      level: 'refuse',
      about: 'A check that counts only what is there is left out by leaving it out (RFC 9068 §2.2).',
      fix: 'Demand iss.',
      fixes: ISSUER,
    },
    claims(() => ({ iss: undefined })),
  ),
  refuses(
    {
      id: 'audience-wrong',
      title: 'Refuses a token for another API',
      level: 'refuse',
      about: 'Every other API that gets a token could call this one with it (RFC 9068 §4, RFC 9700 §2.3).',
      fix: 'Demand the own resource in aud.',
      fixes: AUDIENCE,
    },
    claims(() => ({ aud: `${OTHER}/api` })),
    claims(() => ({ aud: [`${OTHER}/api`, 'another'] })),
  ),
  refuses(
    {
      id: 'audience-near',
      title: 'Compares the audience character by character',
      level: 'refuse',
      about: 'A resource that only begins alike is another one.',
      fix: 'Compare the whole text.',
      fixes: AUDIENCE,
    },
    claims(({ options }) => ({ aud: `${options.resource}-2` })),
    claims(({ options }) => ({ aud: options.resource.slice(0, -1) })),
    claims(({ options }) => ({ aud: [`${options.resource}.evil.example`] })),
  ),
  refuses(
    {
      id: 'audience-missing',
      title: 'Refuses a token without aud',
      level: 'refuse',
      about: 'A token for nobody is not for this API (RFC 9068 §2.2).',
      fix: 'Demand aud.',
      fixes: AUDIENCE,
    },
    claims(() => ({ aud: undefined })),
    claims(() => ({ aud: [] })),
  ),
  refuses(
    {
      id: 'id-token',
      title: 'Refuses an id_token',
      level: 'refuse',
      about:
        'It tells a client who signed in, and lies in browsers and logs: it allows nothing (RFC 9068 §2.1).',
      fix: 'Demand typ at+jwt and the own resource in aud.',
      fixes: TYPE,
    },
    (api) =>
      api.token({
        header: { typ: 'JWT' },
        claims: { aud: api.options.client_id, nonce: 'n', client_id: undefined, scope: undefined },
      }),
  ),
  refuses(
    {
      id: 'type-jwt',
      title: 'Refuses a JWT that does not say that it is an access token',
      level: 'refuse',
      about: 'Any other JWT of the issuer with this audience would do (RFC 9068 §4: typ must be at+jwt).',
      fix: 'Demand typ at+jwt, or application/at+jwt.',
      fixes: TYPE,
    },
    typed('JWT'),
    typed(undefined),
  ),
  refuses(
    {
      id: 'type-logout',
      title: 'Refuses a logout token',
      level: 'refuse',
      about: 'It is sent to clients, not by them (Back-Channel Logout §2.6, RFC 8725 §3.11).',
      fix: 'Demand typ at+jwt.',
      fixes: TYPE,
    },
    typed('logout+jwt'),
  ),
  refuses(
    {
      id: 'expired',
      title: 'Refuses a token that has expired',
      level: 'refuse',
      about: 'A token that was stolen is good until it is refused (RFC 9068 §4).',
      fix: 'Compare exp with the clock, with a leeway of a minute at most.',
    },
    claims((api) => ({ iat: seconds(api) - 2 * HOUR, exp: seconds(api) - HOUR })),
    claims((api) => ({ iat: seconds(api) - HOUR, exp: seconds(api) - 301 })),
  ),
  refuses(
    {
      id: 'expiry-missing',
      title: 'Refuses a token without exp',
      level: 'refuse',
      about: 'It would be good for ever (RFC 9068 §2.2 requires exp).',
      fix: 'Demand exp.',
      fixes: { jose: "Give jwtVerify requiredClaims: ['exp']." },
    },
    claims(() => ({ exp: undefined })),
  ),
  refuses(
    {
      id: 'expiry-no-number',
      title: 'Refuses a token whose exp is no number',
      level: 'refuse',
      about: 'Compared as a text, or not at all, it is good for ever (RFC 7519 §2: a number).',
      fix: 'Demand a number.',
    },
    claims((api) => ({ exp: String(seconds(api) + HOUR) })),
    claims(() => ({ exp: null })),
    claims(() => ({ exp: true })),
  ),
  refuses(
    {
      id: 'not-yet-valid',
      title: 'Refuses a token that is not valid yet',
      level: 'refuse',
      about: 'nbf says from when on it counts (RFC 7519 §4.1.5).',
      fix: 'Compare nbf, if it is there, with the clock.',
    },
    claims((api) => ({ nbf: seconds(api) + HOUR, exp: seconds(api) + 2 * HOUR })),
  ),
  refuses(
    {
      id: 'subject-missing',
      title: 'Refuses a token without sub',
      level: 'advice',
      about:
        'sub is required, for machines too (RFC 9068 §2.2): code behind it takes undefined for somebody.',
      fix: 'Demand a sub that is a text and not empty.',
    },
    claims(() => ({ sub: undefined })),
  ),
  refuses(
    {
      id: 'bound-to-a-key',
      title: 'Refuses a token that is bound to a key, without its proof',
      level: 'advice',
      about: 'Taken as a Bearer token it is worth as much to a thief as to its owner (RFC 9449 §7.2).',
      fix: 'Refuse a token with cnf.jkt in the scheme Bearer, or demand the DPoP proof.',
      fixes: { resource_server: 'Nothing: it does.' },
    },
    claims(() => ({ cnf: { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' } })),
  ),
  refuses(
    {
      id: 'bound-to-a-certificate',
      title: 'Refuses a token that is bound to a certificate, without it',
      level: 'advice',
      about: 'As with a key (RFC 8705 §3).',
      fix: 'Refuse a token with cnf.x5t#S256 on a connection without that certificate.',
      fixes: { resource_server: 'Nothing: it does.' },
    },
    claims(() => ({ cnf: { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' } })),
  ),
  forbids(
    {
      id: 'scope-missing',
      title: 'Answers 403 to a token without the scope',
      level: 'refuse',
      about: 'The person allowed something else (RFC 6750 §3.1: insufficient_scope).',
      fix: 'Demand the scope of the route.',
    },
    claims(() => ({ scope: undefined })),
    claims(() => ({ scope: '' })),
    claims(() => ({ scope: 'something.else' })),
  ),
  forbids(
    {
      id: 'scope-near',
      title: 'Compares scopes as whole words, with their case',
      level: 'refuse',
      about: 'A scope is a word of a list (RFC 6749 §3.3): one that contains it is another one.',
      fix: 'Split scope at spaces and compare whole words.',
    },
    claims(({ options }) => ({
      scope: options.scope
        .split(' ')
        .map((name) => `${name}x`)
        .join(' '),
    })),
    claims(({ options }) => ({
      scope: options.scope
        .split(' ')
        .map((name) => `x${name}`)
        .join(' '),
    })),
    claims(({ options }) => ({ scope: inOtherCase(options.scope) })),
  ),
  takes(
    {
      id: 'audience-list',
      title: 'Takes a token for several APIs, of which it is one',
      level: 'survive',
      about: 'aud is a text or a list (RFC 7519 §4.1.3).',
      fix: 'Read aud in both forms.',
    },
    claims(({ options }) => ({ aud: [options.resource] })),
    claims(({ options }) => ({ aud: [`${OTHER}/api`, options.resource] })),
  ),
  takes(
    {
      id: 'type-long',
      title: 'Takes application/at+jwt',
      level: 'survive',
      about: 'Both forms of the type are allowed (RFC 9068 §4), in any case.',
      fix: 'Compare typ without application/ and without case.',
    },
    typed('application/at+jwt'),
    typed('AT+JWT'),
  ),
  takes(
    {
      id: 'scheme-case',
      title: 'Takes the scheme in any case',
      level: 'survive',
      about: 'Schemes have no case (RFC 9110 §11.1).',
      fix: 'Compare the scheme without case.',
    },
    (api) => ({ authorization: `bearer ${api.token()}` }),
    (api) => ({ authorization: `BEARER ${api.token()}` }),
  ),
  takes(
    {
      id: 'clock-ahead',
      title: 'Takes a token of a server whose clock is ahead by five seconds',
      level: 'survive',
      about: 'No two clocks agree.',
      fix: 'Allow for a minute at iat and nbf.',
      fixes: { jose: "Give jwtVerify clockTolerance: '30s'." },
    },
    claims((api) => ({ iat: seconds(api) + 5 })),
  ),
  takes(
    {
      id: 'unknown-claims',
      title: 'Takes claims that it does not know',
      level: 'survive',
      about:
        'What is not understood is to be ignored (RFC 7519 §4). Somebody in a hundred groups has a long token.',
      fix: 'Read what you need and nothing else, and let headers be 8 KB long.',
    },
    claims(() => ({
      'https://example.com/x': { a: [1, null] },
      name: 'Zoë 李',
      groups: Array.from({ length: 100 }, (_, index) => `department-${index}`),
    })),
  ),
]
