import { hash, type KeyObject, X509Certificate } from 'node:crypto'
import {
  bodyOf,
  DerError,
  type DerValue,
  readAscii,
  readDer,
  readObjectIdentifier,
  TAG,
  valuesIn,
} from './der.ts'
import { type FoundName, readName } from './distinguished-name.ts'

/** The entries of a subject alternative name that can name a client (RFC 5280 §4.2.1.6). */
export interface AlternativeNames {
  readonly dns: readonly string[]
  readonly uri: readonly string[]
  readonly email: readonly string[]
  /** Addresses of 4 or 16 octets. */
  readonly ip: readonly Buffer[]
}

/** A certificate of a client. Its signature is not verified here. */
export interface Certificate {
  readonly der: Buffer
  /** `x5t#S256`: the SHA-256 of the DER in base64url (RFC 8705 §3.1). */
  readonly thumbprint: string
  readonly subject: FoundName
  readonly names: AlternativeNames
  readonly public_key: KeyObject
  /** Milliseconds since 1970. */
  readonly not_before: number
  readonly not_after: number
}

/** 2.5.29.17. */
const SUBJECT_ALT_NAME = '551d11'
/** The tags [0] and [3] of a TBSCertificate (RFC 5280 §4.1). */
const VERSION = 0xa0
const EXTENSIONS = 0xa3
/** The tags of a GeneralName (RFC 5280 §4.2.1.6). */
const GENERAL_NAME = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const

/**
 * Reads a certificate in DER (RFC 5280 §4.1); undefined if it is not one. The names come from the octets: the text that
 * Node makes of them has separators which a name can contain.
 */
export function readCertificate(der: Buffer): Certificate | undefined {
  try {
    const x509 = new X509Certificate(der)
    // Also refuses two inputs that OpenSSL accepts: PEM, and a certificate with octets after its end.
    const { subject, extensions } = readFields(der)
    return {
      der,
      thumbprint: hash('sha256', der, 'base64url'),
      subject: readName(subject),
      names: readAlternativeNames(extensions),
      public_key: x509.publicKey,
      not_before: Date.parse(x509.validFrom),
      not_after: Date.parse(x509.validTo),
    }
  } catch {
    return undefined
  }
}

/** Whether a time, in milliseconds since 1970, is in the validity of a certificate (RFC 5280 §4.1.2.5). */
export function isInForce({ not_before, not_after }: Certificate, now: number): boolean {
  return now >= not_before && now <= not_after
}

function readFields(der: Buffer): { subject: DerValue | undefined; extensions: DerValue[] } {
  const [certificate, ...behind] = readDer(der)
  if (behind.length > 0) throw new DerError('something follows the certificate')
  const [tbs] = valuesIn(certificate, TAG.sequence)
  const fields = valuesIn(tbs, TAG.sequence)
  // Only version 1, which has no extensions, leaves out its version.
  const [, , , , subject] = fields[0]?.tag === VERSION ? fields.slice(1) : fields
  const explicit = fields.find(({ tag }) => tag === EXTENSIONS)
  if (explicit === undefined) return { subject, extensions: [] }
  const [extensions, ...others] = readDer(explicit.body)
  if (others.length > 0) throw new DerError('there is one list of extensions')
  return { subject, extensions: valuesIn(extensions, TAG.sequence) }
}

function readAlternativeNames(extensions: readonly DerValue[]): AlternativeNames {
  const found = extensions.flatMap((extension) => {
    const [id, ...rest] = valuesIn(extension, TAG.sequence)
    return readObjectIdentifier(id) === SUBJECT_ALT_NAME ? [bodyOf(rest.at(-1), TAG.octet_string)] : []
  })
  // RFC 5280 §4.2: not more than one of a kind. Readers differ in which of two they take.
  if (found.length > 1) throw new DerError('there are two subject alternative names')
  const [octets] = found
  const entries = octets === undefined ? [] : valuesIn(onlyOne(readDer(octets)), TAG.sequence)
  const bodies = (wanted: number) => entries.filter(({ tag }) => tag === wanted).map(({ body }) => body)
  return {
    dns: bodies(GENERAL_NAME.dns).map(readAscii),
    uri: bodies(GENERAL_NAME.uri).map(readAscii),
    email: bodies(GENERAL_NAME.email).map(readAscii),
    ip: bodies(GENERAL_NAME.ip),
  }
}

function onlyOne(values: readonly DerValue[]): DerValue | undefined {
  if (values.length > 1) throw new DerError('something follows the value')
  return values[0]
}
