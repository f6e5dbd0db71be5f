// Certificates of clients, made octet by octet so that tests decide what each one says (RFC 5280 §4.1).
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const SEQUENCE = 0x30
const SET = 0x31

/** A value in DER. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  const { length } = body
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), body])
  const octets = Buffer.from(length.toString(16).padStart(length < 0x100 ? 2 : 4, '0'), 'hex')
  return Buffer.concat([Buffer.of(tag, 0x80 | octets.length), octets, body])
}

/** An object identifier in DER. */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  const arcs = [first * 40 + second, ...others].map((arc) => {
    const octets = [arc & 0x7f]
    for (let rest = arc >>> 7; rest > 0; rest >>>= 7) octets.unshift((rest & 0x7f) | 0x80)
    return Buffer.from(octets)
  })
  return der(0x06, ...arcs)
}

const UTF8 = 0x0c

/** An attribute of a name: its type, its text, and the tag of its string. */
export type Attribute = readonly [type: string, value: string | Uint8Array, tag?: number]

export const CN = '2.5.4.3'
export const O = '2.5.4.10'
export const C = '2.5.4.6'

/** A part of a name: one attribute, or several. */
export type Part = Attribute | readonly Attribute[]

/** A name in DER: its parts in the order of the certificate. */
export function name(...parts: readonly Part[]): Buffer {
  const isOne = (part: Part): part is Attribute => typeof part[0] === 'string'
  const sets = parts.map((part) => {
    const attributes = (isOne(part) ? [part] : part).map(([type, value, tag = UTF8]) =>
      der(SEQUENCE, oid(type), der(tag, Buffer.from(value))),
    )
    return der(SET, ...attributes.toSorted(Buffer.compare))
  })
  return der(SEQUENCE, ...sets)
}

/** The tags of entries of a subject alternative name. */
export const SAN = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const

/** What a certificate says. */
export interface Content {
  /** A name in DER. */
  readonly subject: Buffer
  /** Entries of its subject alternative name, in DER. */
  readonly names?: readonly Buffer[]
  /** How many extensions with these entries it has. Default: 1, if there are entries. */
  readonly extensions?: number
  readonly is_authority?: boolean
  readonly not_before?: Date
  readonly not_after?: Date
  readonly keys?: KeyPair
}

export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** A certificate and its private key. */
export interface Issued extends KeyPair {
  readonly der: Buffer
  readonly pem: string
  readonly key_pem: string
}

export const newKeys = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

const ECDSA_SHA256 = der(SEQUENCE, oid('1.2.840.10045.4.3.2'))
const DAY_MS = 86_400_000

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, '')))
}

function extension(type: string, value: Buffer, is_critical = false): Buffer {
  const critical = is_critical ? [der(0x01, Buffer.of(0xff))] : []
  return der(SEQUENCE, oid(type), ...critical, der(0x04, value))
}

/** Makes a certificate; signed by its own key without an issuer. */
export function issue(
  content: Content,
  issuer?: Issued & { readonly subject: Buffer },
): Issued & { subject: Buffer } {
  const { subject, names = [], is_authority = false, keys = newKeys() } = content
  const { extensions = names.length > 0 ? 1 : 0 } = content
  const { not_before = new Date(Date.now() - DAY_MS), not_after = new Date(Date.now() + DAY_MS) } = content
  const listed = [
    ...(is_authority ? [extension('2.5.29.19', der(SEQUENCE, der(0x01, Buffer.of(0xff))), true)] : []),
    ...Array.from({ length: extensions }, () => extension('2.5.29.17', der(SEQUENCE, ...names))),
  ]
  const tbs = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    ECDSA_SHA256,
    issuer?.subject ?? subject,
    der(SEQUENCE, time(not_before), time(not_after)),
    subject,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    ...(listed.length > 0 ? [der(0xa3, der(SEQUENCE, ...listed))] : []),
  )
  const signature = sign('sha256', tbs, issuer?.privateKey ?? keys.privateKey)
  const octets = der(SEQUENCE, tbs, ECDSA_SHA256, der(0x03, Buffer.of(0), signature))
  return {
    ...keys,
    subject,
    der: octets,
    pem: `-----BEGIN CERTIFICATE-----\n${octets.toString('base64').replace(/.{64}(?!$)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key_pem: String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

/** What the proxy sends in the tests. */
export const PROXY_SECRET = 'the-secret-that-only-the-proxy-of-the-tests-sends'

/** The settings of a service behind a proxy at the address from which tests inject their requests. */
export const WITH_CERTIFICATES = {
  client_certificate_secret: PROXY_SECRET,
  client_certificate_proxies: ['127.0.0.1'],
}

/** The headers that a proxy sends with the certificate of a client. */
export function proxied({ der: octets }: Pick<Issued, 'der'>, verified = true): Record<string, string> {
  return {
    'client-cert': `:${octets.toString('base64')}:`,
    'client-cert-secret': PROXY_SECRET,
    ...(verified && { 'client-cert-verified': '?1' }),
  }
}
