import { macBy, pemOf, unsecured, withFlippedBit, withSignature } from '../forge.ts'
import type { Check } from '../report/report.ts'
import type { Api } from './api.ts'
import { refuses, takes } from './kinds.ts'

/** Where the server publishes the key of a stranger, for `jku`. */
export const STRANGE_KEYS = '/check-api-keys'

const EMPTY = new Uint8Array()
const strangerOf = ({ spare, signer }: Api) => spare.signer('unknown', signer.alg)

const VERIFY = {
  jose: 'jwtVerify(token, createRemoteJWKSet(…), { issuer, audience, algorithms, typ: "at+jwt" }), never decodeJwt alone.',
  spring: 'oauth2ResourceServer(server -> server.jwt(…)) with issuer-uri.',
  resource_server: 'Nothing: it does.',
} as const

/** Checks of who signed a token. */
export const SIGNATURE_CHECKS: readonly Check<Api>[] = [
  refuses(
    {
      id: 'alg-none',
      title: 'Refuses a token without a signature',
      level: 'refuse',
      about: 'Everybody can write one (RFC 9068 §4: alg none must be refused).',
      fix: 'Take the algorithms of the issuer only.',
      fixes: VERIFY,
    },
    (api) => unsecured(api.right()),
    // Of those who look for the word only.
    (api) => withSignature({ ...api.right(), header: { alg: 'nOnE', typ: 'at+jwt' } }, EMPTY),
  ),
  refuses(
    {
      id: 'public-key-as-secret',
      title: 'Refuses HS256 with the public key as the secret',
      level: 'refuse',
      about:
        'A library that takes any key for any algorithm takes the public key for a secret (RFC 8725 §2.1, §3.1).',
      fix: 'Allow the algorithms of the issuer only, each with keys of its own type.',
      fixes: VERIFY,
    },
    (api) => macBy(pemOf(api.signer.publicKey), api.right()),
    (api) => macBy(pemOf(api.signer.publicKey).trim(), api.right()),
    (api) => macBy(JSON.stringify(api.signer.publicKey.export({ format: 'jwk' })), api.right()),
  ),
  refuses(
    {
      id: 'signature-wrong',
      title: 'Refuses a wrong signature',
      level: 'refuse',
      about: 'Without the signature everybody writes the claims that he likes (RFC 9068 §4).',
      fix: 'Verify the token: to decode it is not enough.',
      fixes: VERIFY,
    },
    (api) => withFlippedBit(api.token()),
  ),
  refuses(
    {
      id: 'signature-empty',
      title: 'Refuses an empty signature',
      level: 'refuse',
      about: 'Some libraries verify nothing if there is nothing.',
      fix: 'Verify the token, and renew the library.',
      fixes: VERIFY,
    },
    (api) => withSignature(api.right(), EMPTY),
  ),
  refuses(
    {
      id: 'signature-of-zeros',
      title: 'Refuses a signature of zeros',
      level: 'refuse',
      about: 'ECDSA without a check of r and s takes it for every message (CVE-2022-21449).',
      fix: 'Renew the library or the Java that verifies.',
    },
    (api) => withSignature(api.right(), new Uint8Array(64)),
    (api) => withSignature(api.right(), new Uint8Array(256)),
  ),
  refuses(
    {
      id: 'key-of-a-stranger',
      title: 'Refuses the signature of another key with the kid of the issuer',
      level: 'refuse',
      about: 'kid only names a key: everybody can write it.',
      fix: 'Verify by the key that the issuer publishes with this kid.',
      fixes: VERIFY,
    },
    (api) => api.token({}, { ...strangerOf(api), kid: api.signer.kid }),
  ),
  refuses(
    {
      id: 'key-unknown',
      title: 'Refuses a key that the issuer does not publish',
      level: 'refuse',
      about: 'A token of a key that cannot be found was not verified.',
      fix: 'Refuse a kid that the key set lacks, also after it was read again.',
      fixes: VERIFY,
    },
    (api) => api.token({}, strangerOf(api)),
    (api) => api.token({ header: { kid: undefined } }, strangerOf(api)),
    (api) => api.token({ header: { kid: '../../dev/null' } }, strangerOf(api)),
  ),
  refuses(
    {
      id: 'key-in-header',
      title: 'Refuses a key that comes in the token',
      level: 'refuse',
      about: 'Everybody can sign by a key of his own and send it along (RFC 8725 §3.10, RFC 7515 §10.3).',
      fix: 'Never use jwk and x5c of the header.',
    },
    (api) => api.token({ header: { jwk: api.spare.jwk('unknown', api.signer.alg) } }, strangerOf(api)),
  ),
  refuses(
    {
      id: 'key-address-in-header',
      title: 'Refuses a key at an address that comes in the token',
      level: 'refuse',
      about:
        'Everybody can publish a key, and the API would fetch from where strangers say (RFC 8725 §3.10).',
      fix: 'Never use jku and x5u of the header.',
    },
    (api) => api.token({ header: { jku: `${api.options.issuer}${STRANGE_KEYS}` } }, strangerOf(api)),
  ),
  refuses(
    {
      id: 'critical-unknown',
      title: 'Refuses a header member that it must understand and does not',
      level: 'refuse',
      about: 'crit names what changes the meaning of the token (RFC 7515 §4.1.11).',
      fix: 'Refuse crit with a name that is not handled; renew the library.',
    },
    (api) => api.token({ header: { crit: ['x-must-know'], 'x-must-know': true } }),
  ),
  takes(
    {
      id: 'key-next',
      title: 'Takes a token of the next key of the issuer',
      level: 'survive',
      about: 'Keys change: the next one is published long before it signs.',
      fix: 'Choose the key by kid of all that are published; pin none.',
    },
    (api) => api.token({}, api.spare.signer('next', api.signer.alg)),
  ),
  takes(
    {
      id: 'keys-with-one-kid',
      title: 'Takes a key that shares its kid with one of another type',
      level: 'survive',
      about: 'A kid need not be unique among keys of different types (RFC 7517 §4.5).',
      fix: 'Choose the key by kid, kty and alg together.',
    },
    (api) => api.token({}, api.spare.signer('first-twin', api.signer.alg)),
    (api) => api.token({}, api.spare.signer('second-twin', api.signer.alg)),
  ),
]
