import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { readClientCertificate } from '../../../../src/certificates/client-certificate.ts'
import { CN, der, issue, name, SAN } from '../../certificates.ts'
import type { Target } from '../target.ts'

const NOW = Date.UTC(2027, 0, 15)
const CERTIFICATE = certificateWithPadding()
const BASE64 = CERTIFICATE.toString('base64')
/** The same octets for lenient decoders: the bits before the padding are not zero (RFC 4648 §3.5). */
const RESPELLED = BASE64.replace(/[AQgw]==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`)
assert.notEqual(RESPELLED, BASE64)

/** A certificate whose base64 ends with `==`. Signatures differ in length, so one of a few does. */
function certificateWithPadding(): Buffer {
  for (let length = 1; length <= 60; length++) {
    const certificate = issue({
      subject: name([CN, 'c'.repeat(length)]),
      names: [der(SAN.dns, Buffer.from('client.example')), der(SAN.uri, Buffer.from('urn:client'))],
      not_before: new Date(NOW - 86_400_000),
      not_after: new Date(NOW + 86_400_000),
    }).der
    if (certificate.length % 3 === 1) return certificate
  }
  throw new TypeError('a certificate has this length')
}

const thumbprintOf = (octets: Buffer) => createHash('sha256').update(octets).digest('base64url')

/** The certificate with other octets: each further line of an input has a position and a value. */
function changed(lines: readonly string[]): Buffer {
  const octets = Buffer.from(CERTIFICATE)
  for (const line of lines) {
    const [position = '', value = ''] = line.split(' ')
    octets[Number(position) % octets.length] = Number(value)
  }
  return octets
}

/**
 * The header Client-Cert (RFC 9440 §2.2). An input is the header, in which `$c` is a certificate and `$d` another spelling
 * of it, on one line, and changes of the octets of `$c`. What is accepted is a certificate in its one spelling, and no other one has its thumbprint.
 */
export const clientCertificate: Target = {
  name: 'client-certificate',
  words: [
    ':',
    '$c',
    ':$d:',
    ':$c:',
    '=',
    '==',
    ',',
    ' ',
    '\n0 48',
    '\n4 0',
    '\n40 255',
    BASE64.slice(0, 40),
    '?1',
  ],
  inputs: fc
    .tuple(
      fc.oneof(
        { arbitrary: fc.constant(':$c:'), weight: 4 },
        {
          arbitrary: fc.constantFrom('$c', ':$d:', ':$c', ':$c:$c:', ':$c:, :$c:', ':$c=:', ': $c:', '::'),
          weight: 1,
        },
        { arbitrary: fc.string().map((text) => `:${text}:`), weight: 1 },
      ),
      fc.array(
        fc.tuple(fc.nat(CERTIFICATE.length - 1), fc.nat(255)).map((pair) => pair.join(' ')),
        { maxLength: 3 },
      ),
    )
    .map(([header, changes]) => [header, ...changes].join('\n')),
  check(input) {
    const [header = '', ...changes] = input.split('\n')
    const octets = changed(changes)
    const client_cert = header
      .replaceAll('$c', () => octets.toString('base64'))
      .replaceAll('$d', () => RESPELLED)
    const presented = readClientCertificate({ client_cert, verified: undefined }, NOW)
    const is_same = octets.equals(CERTIFICATE)
    if (!presented.ok) {
      assert.ok(!(is_same && header === ':$c:'), 'the certificate itself is accepted')
      return
    }
    const { certificate } = presented
    assert.equal(client_cert, `:${certificate.der.toString('base64')}:`, 'each has one spelling')
    assert.equal(certificate.thumbprint, thumbprintOf(certificate.der))
    assert.equal(certificate.thumbprint === thumbprintOf(CERTIFICATE), certificate.der.equals(CERTIFICATE))
    assert.ok(certificate.not_before <= NOW && NOW <= certificate.not_after, 'in its validity')
    assert.equal(certificate.verified, false, 'without the word of the proxy')
    for (const text of [...certificate.names.dns, ...certificate.names.uri, ...certificate.names.email]) {
      assert.match(text, /^[\0-\x7f]*$/, 'names in ASCII')
    }
  },
}
