// What is read of a certificate, and what is not one.
import { createHash, X509Certificate } from 'node:crypto'
import t from 'tap'
import { isInForce, readCertificate } from '../../../../src/certificates/certificate.ts'
import { objectIdentifier } from '../../../../src/certificates/der.ts'
import { CN, der, issue, name, newKeys, SAN } from '../../../support/certificates.ts'

const keys = newKeys()
const subject = name([CN, 'billing'])
const dns = (text: string) => der(SAN.dns, Buffer.from(text))

t.test('thumbprint, key and dates', async (t) => {
  const not_before = new Date('2026-01-02T03:04:05Z')
  const not_after = new Date('2051-11-22T23:59:59Z')
  const issued = issue({ subject, keys, not_before, not_after })
  const certificate = readCertificate(issued.der)
  if (certificate === undefined) throw new Error('not read')
  t.equal(certificate.thumbprint, createHash('sha256').update(issued.der).digest('base64url'))
  t.ok(certificate.public_key.equals(keys.publicKey))
  t.equal(certificate.not_before, not_before.getTime())
  t.equal(certificate.not_after, not_after.getTime())
  t.notOk(isInForce(certificate, not_before.getTime() - 1))
  t.ok(isInForce(certificate, not_before.getTime()))
  t.ok(isInForce(certificate, not_after.getTime()))
  t.notOk(isInForce(certificate, not_after.getTime() + 1))
})

t.test('the entries of the subject alternative name are those of the octets', async (t) => {
  const names = [
    dns('billing.example.com'),
    // CVE-2021-44532: the text that Node made of this had two entries.
    dns('a, DNS:victim.example.com'),
    der(SAN.uri, Buffer.from('spiffe://example.com/billing')),
    der(SAN.uri, Buffer.from('http://a/, DNS:victim.example.com')),
    der(SAN.email, Buffer.from('a@example.com')),
    der(SAN.ip, Buffer.of(192, 0, 2, 7)),
  ]
  const read = readCertificate(issue({ subject, names, keys }).der)
  t.strictSame(read?.names, {
    dns: ['billing.example.com', 'a, DNS:victim.example.com'],
    uri: ['spiffe://example.com/billing', 'http://a/, DNS:victim.example.com'],
    email: ['a@example.com'],
    ip: [Buffer.of(192, 0, 2, 7)],
  })
  t.strictSame(readCertificate(issue({ subject, keys }).der)?.names, { dns: [], uri: [], email: [], ip: [] })
})

/** A name with one attribute, whose type has these octets. */
const withType = (type: Buffer) =>
  der(0x30, der(0x31, der(0x30, der(0x06, type), der(0x0c, Buffer.from('a')))))

/** The octets of an identifier below 2.25 with one arc more. */
const longArc = (length: number) =>
  Buffer.concat([Buffer.of(0x69), Buffer.alloc(length - 1, 0xff), Buffer.of(0x7f)])

t.test('what is no certificate in DER', async (t) => {
  const issued = issue({ subject, keys })
  t.ok(readCertificate(issue({ subject: withType(longArc(19)), keys }).der), 'a UUID as an arc')
  t.ok(readCertificate(issued.der))
  const { body } = { body: issued.der.subarray(4) }
  const rows: [why: string, octets: Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('certificate')],
    ['PEM', Buffer.from(issued.pem)],
    ['an identifier with an arc of 20 octets', issue({ subject: withType(longArc(20)), keys }).der],
    ['an identifier with an arc of 10,000 octets', issue({ subject: withType(longArc(10_000)), keys }).der],
    ['an identifier that is cut off', issue({ subject: withType(Buffer.of(0x55, 0x84)), keys }).der],
    ['an identifier with a leading zero', issue({ subject: withType(Buffer.of(0x55, 0x80, 1)), keys }).der],
    ['an identifier without octets', issue({ subject: withType(Buffer.alloc(0)), keys }).der],
    ['a certificate that is cut off', issued.der.subarray(0, -1)],
    ['something behind it', Buffer.concat([issued.der, Buffer.of(0)])],
    ['two certificates', Buffer.concat([issued.der, issued.der])],
    ['an indefinite length', Buffer.concat([Buffer.of(0x30, 0x80), body, Buffer.of(0, 0)])],
    ['a length with a leading zero', Buffer.concat([Buffer.of(0x30, 0x83, 0), issued.der.subarray(2)])],
    ['two subject alternative names', issue({ subject, keys, names: [dns('a')], extensions: 2 }).der],
    [
      'a name with other octets than ASCII',
      issue({ subject, keys, names: [der(SAN.dns, Buffer.of(0xe9))] }).der,
    ],
  ]
  for (const [why, octets] of rows) t.equal(readCertificate(octets), undefined, why)
})

t.test('the subject is that of OpenSSL, whatever types it has', async (t) => {
  for (const type of ['2.5.4.3', '2.999.3', '1.3.6.1.4.1.311.60.2.1.3', '0.9.2342.19200300.100.1.25']) {
    const { der: octets } = issue({ subject: name([type, 'value']), keys })
    t.match(readCertificate(octets)?.subject, [[{ type: objectIdentifier(type), text: 'value' }]])
    t.match(new X509Certificate(octets).subject, /=value$/)
  }
})
