// The JWTs that src/keys/jwt-reader.ts refuses, whatever they are for. Each is right but for one thing: it is signed, with
// the right claims, by the right key.
import { createHmac, createPublicKey, type KeyObject, sign } from 'node:crypto'

type Json = Readonly<Record<string, unknown>>
type Part = Json | string | Buffer

/** A right JWT by ES256 or EdDSA. */
export interface RightJwt {
  readonly header: Json
  readonly claims: Json
  readonly privateKey: KeyObject
  /** The longest that is read, in characters. */
  readonly max_length: number
}

const encode = (part: Part) =>
  Buffer.from(
    typeof part === 'string' || Buffer.isBuffer(part) ? (part as string) : JSON.stringify(part),
  ).toString('base64url')

/** Returns a JWT of a right one, with another header, other claims or both. */
export function signedJwt(
  { header, claims, privateKey }: RightJwt,
  given: { header?: Part; claims?: Part } = {},
): string {
  const input = `${encode(given.header ?? header)}.${encode(given.claims ?? claims)}`
  const hash = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  const signature = sign(hash, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${encode(signature)}`
}

type Spoil = (jwt: RightJwt) => string

/** Puts the parts of the signed JWT into a text. */
const around =
  (text: (header: string, claims: string, signature: string) => string): Spoil =>
  (jwt) => {
    const [header = '', claims = '', signature = ''] = signedJwt(jwt).split('.')
    return text(header, claims, signature)
  }

const withHeader =
  (change: Json): Spoil =>
  (jwt) =>
    signedJwt(jwt, { header: { ...jwt.header, ...change } })

/** Spoils the header or the claims as text. */
const asText =
  (part: 'header' | 'claims', change: (json: string) => string | Buffer): Spoil =>
  (jwt) =>
    signedJwt(jwt, { [part]: change(JSON.stringify(jwt[part])) })

/** The same bytes: decoders ignore the last bits of the final character. */
const respelled = (part: string) =>
  part.slice(0, -1) + String.fromCharCode(part.charCodeAt(part.length - 1) + 1)

const NOT_OBJECTS: Readonly<Record<string, (json: string) => string | Buffer>> = {
  nothing: () => '',
  null: () => 'null',
  'a number': () => '1',
  'a text': (json) => JSON.stringify(json),
  'a list': (json) => `[${json}]`,
  'cut off': (json) => json.slice(0, -1),
  'two objects': (json) => json + json,
  'in other quotes': (json) => json.replaceAll('"', "'"),
  'with a byte order mark': (json) => `\ufeff${json}`,
  'with a byte that is not UTF-8': (json) => Buffer.from(`${json.slice(0, -1)},"x":"\xff"}`, 'latin1'),
  'in UTF-16': (json) => Buffer.from(json, 'utf16le'),
  'left open': () => '{"x":'.repeat(200),
}

const ROWS: [rule: RegExp, rows: Record<string, Spoil>][] = [
  [
    /three parts/,
    {
      nothing: () => '',
      'a word': () => 'x',
      'one part': around((header) => header),
      'two parts': around((header, claims) => `${header}.${claims}`),
      'four parts': around((...parts) => `${parts.join('.')}.`),
      'four parts, the first empty': around((...parts) => `.${parts.join('.')}`),
      'five parts, as of a JWE': around((...parts) => [...parts, parts[0], parts[1]].join('.')),
      'two JWTs': around((...parts) => `${parts.join('.')},${parts.join('.')}`),
      'in quotes': around((...parts) => `"${parts.join('.')}"`),
      'a padded header': around((header, claims, signature) => `${header}=.${claims}.${signature}`),
      'padded claims': around((header, claims, signature) => `${header}.${claims}=.${signature}`),
      'a padded signature': around((...parts) => `${parts.join('.')}==`),
      'a space in the claims': around(
        (header, claims, signature) => `${header}.${claims.slice(0, 4)} ${claims.slice(4)}.${signature}`,
      ),
      'another spelling of the signature': around(
        (header, claims, signature) => `${header}.${claims}.${respelled(signature)}`,
      ),
      'a signature in base64': around(
        (header, claims, signature) =>
          `${header}.${claims}.${Buffer.from(signature, 'base64url').toString('base64')}`,
      ),
      'the JSON serialization': around((header, payload, signature) =>
        JSON.stringify({ payload, protected: header, signature }),
      ),
      'claims that are not encoded': (jwt) => {
        const [header, , signature] = signedJwt(jwt).split('.')
        return `${header}.${JSON.stringify(jwt.claims)}.${signature}`
      },
    },
  ],
  [
    /longer than \d+ characters/,
    {
      'a long one': (jwt) => signedJwt(jwt, { claims: { ...jwt.claims, fill: 'x'.repeat(jwt.max_length) } }),
    },
  ],
  [
    /not a JSON object/,
    {
      'no header': around((_header, claims, signature) => `.${claims}.${signature}`),
      'no claims': around((header, _claims, signature) => `${header}..${signature}`),
      'only dots': () => '..',
      ...Object.fromEntries(
        Object.entries(NOT_OBJECTS).flatMap(([name, change]) => [
          [`a header: ${name}`, asText('header', change)],
          [`claims: ${name}`, asText('claims', change)],
        ]),
      ),
    },
  ],
  [
    /crit or b64/,
    {
      crit: withHeader({ crit: ['exp'] }),
      'an empty crit': withHeader({ crit: [] }),
      'crit null': withHeader({ crit: null }),
      'b64 false': withHeader({ b64: false, crit: ['b64'] }),
      'b64 alone': withHeader({ b64: true }),
    },
  ],
  [
    /its alg is none of/,
    {
      ...Object.fromEntries(
        [
          'none',
          'None',
          'NONE',
          'nOnE',
          ' none',
          '',
          'es256',
          'ES256K',
          'ES384',
          'HS256',
          'dir',
          '__proto__',
          null,
          0,
          true,
          ['ES256'],
          {},
        ].flatMap((alg) => [
          [`alg ${JSON.stringify(alg)}`, withHeader({ alg })],
          [
            `alg ${JSON.stringify(alg)}, unsigned`,
            (jwt: RightJwt) => withHeader({ alg })(jwt).replace(/[^.]*$/, ''),
          ],
        ]),
      ),
      'no alg': withHeader({ alg: undefined }),
      'alg none as the last of two': asText('header', (json) => `${json.slice(0, -1)},"\\u0061lg":"none"}`),
      'a MAC with the public key': (jwt) => macOf(jwt),
    },
  ],
  [
    /its kid is not a string/,
    Object.fromEntries(
      [null, 1, ['kid'], {}].map((kid) => [`kid ${JSON.stringify(kid)}`, withHeader({ kid })]),
    ),
  ],
  [
    /its typ is not a string/,
    Object.fromEntries(
      [null, 1, ['JWT'], {}].map((typ) => [`typ ${JSON.stringify(typ)}`, withHeader({ typ })]),
    ),
  ],
]

/** RFC 8725 §2.1: a key that is public is no secret. */
function macOf({ header, claims, privateKey }: RightJwt): string {
  const secret = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
  const input = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

/** Every malformed JWT: its name, what the reader says of it, and how it is made of a right one. */
export const MALFORMED: readonly { readonly name: string; readonly reason: RegExp; readonly of: Spoil }[] =
  ROWS.flatMap(([reason, rows]) => Object.entries(rows).map(([name, of]) => ({ name, reason, of })))

/** What the reader leaves to others: the type and the signature. */
export const UNPROVEN: Readonly<Record<string, Spoil>> = {
  'another type': withHeader({ typ: 'other+jwt' }),
  'no signature': around((header, claims) => `${header}.${claims}.`),
  'a signature that is cut': around(
    (header, claims, signature) =>
      `${header}.${claims}.${encode(Buffer.from(signature, 'base64url').subarray(0, -1))}`,
  ),
  'zeros as a signature': around((header, claims) => `${header}.${claims}.${'A'.repeat(86)}`),
  'the signature of other claims': (jwt) => {
    const [header, , signature] = signedJwt(jwt).split('.')
    return `${header}.${encode({ ...jwt.claims, more: 1 })}.${signature}`
  },
  'the signature of another header': (jwt) => {
    const [, claims, signature] = signedJwt(jwt).split('.')
    return `${encode({ ...jwt.header, more: 1 })}.${claims}.${signature}`
  },
}
