// Names of certificates: the text of RFC 4514, and which certificates have exactly the name that it says.
import t from 'tap'
import { readCertificate } from '../../../../src/certificates/certificate.ts'
import { isSameName, parseDistinguishedName } from '../../../../src/certificates/distinguished-name.ts'
import {
  type Attribute,
  C,
  CN,
  der,
  issue,
  name,
  newKeys,
  O,
  type Part,
} from '../../../support/certificates.ts'

const keys = newKeys()
const UID = '0.9.2342.19200300.100.1.1'
const PRINTABLE = 0x13
const TELETEX = 0x14
const IA5 = 0x16
const BMP = 0x1e

/** Whether a certificate with a subject is that of a client with a text. */
function matches(text: string, ...subject: Part[]): boolean {
  const certificate = readCertificate(issue({ subject: name(...subject), keys }).der)
  const expected = parseDistinguishedName(text)
  if (typeof expected === 'string') throw new Error(expected)
  return certificate !== undefined && isSameName(expected, certificate.subject)
}

t.test('a certificate with the name', async (t) => {
  const rows: [text: string, ...subject: Part[]][] = [
    ['CN=billing', [CN, 'billing']],
    ['cn=billing', [CN, 'billing']],
    ['2.5.4.3=billing', [CN, 'billing']],
    ['CN=billing,O=Example,C=DE', [C, 'DE', PRINTABLE], [O, 'Example'], [CN, 'billing']],
    [
      'CN=billing+UID=7,O=Example',
      [O, 'Example'],
      [
        [CN, 'billing'],
        [UID, '7'],
      ],
    ],
    [
      'UID=7+CN=billing,O=Example',
      [O, 'Example'],
      [
        [CN, 'billing'],
        [UID, '7'],
      ],
    ],
    ['CN=Sue\\, Grabbit and Runn', [CN, 'Sue, Grabbit and Runn']],
    ['CN=\\ a\\ ', [CN, ' a ']],
    ['CN=\\#a', [CN, '#a']],
    ['CN=a\\0Ab', [CN, 'a\nb']],
    ['CN=Jürgen 😀', [CN, 'Jürgen 😀']],
    ['CN=J\\C3\\BCrgen', [CN, 'Jürgen']],
    ['CN=a=b', [CN, 'a=b']],
    ['emailAddress=a@example.com', ['1.2.840.113549.1.9.1', 'a@example.com', IA5]],
    ['CN=#0c0161', [CN, 'a']],
    ['CN=#14026163', [CN, 'ac', TELETEX]],
  ]
  for (const [text, ...subject] of rows) t.ok(matches(text, ...subject), text)
})

t.test('types are compared as the octets of their identifiers', async (t) => {
  const uuid = 'd0a1c0de0000400080000000000000ff'
  const arc = BigInt(`0x${uuid}`)
  const octets = [Number(arc & 0x7fn)]
  for (let rest = arc >> 7n; rest > 0n; rest >>= 7n) octets.unshift(Number(rest & 0x7fn) | 0x80)
  const rows: [text: string, type: Buffer][] = [
    [`2.25.${arc}=a`, Buffer.from([0x69, ...octets])],
    ['2.999.3=a', Buffer.of(0x88, 0x37, 0x03)],
    ['1.39.128=a', Buffer.of(0x4f, 0x81, 0x00)],
    ['0.0=a', Buffer.of(0x00)],
  ]
  for (const [text, type] of rows) {
    for (const [found, matches] of [
      [type, true],
      [Buffer.concat([type, Buffer.of(1)]), false],
    ] as const) {
      const subject = der(0x30, der(0x31, der(0x30, der(0x06, found), der(0x0c, Buffer.from('a')))))
      const certificate = readCertificate(issue({ subject, keys }).der)
      const expected = parseDistinguishedName(text)
      t.ok(certificate !== undefined && typeof expected !== 'string')
      if (certificate === undefined || typeof expected === 'string') continue
      t.equal(isSameName(expected, certificate.subject), matches, text)
    }
  }
})

t.test('a certificate with another name', async (t) => {
  const a: Attribute = [CN, 'a']
  const rows: [why: string, text: string, ...subject: Part[]][] = [
    ['another value', 'CN=a', [CN, 'b']],
    ['another case', 'CN=a', [CN, 'A']],
    ['another type', 'CN=a', [O, 'a']],
    ['a part more', 'CN=a', [O, 'x'], a],
    ['a part more at the end', 'CN=a', a, [O, 'x']],
    ['a part less', 'CN=a,O=x', a],
    ['another order', 'CN=a,O=x', a, [O, 'x']],
    ['the same attribute twice', 'CN=a+CN=b', [a, a]],
    ['an attribute more in a part', 'CN=a', [a, [O, 'x']]],
    ['an attribute less in a part', 'CN=a+O=x', a],
    ['one part instead of two', 'CN=a,O=x', [a, [O, 'x']]],
    ['two parts instead of one', 'CN=a+O=x', [O, 'x'], a],
    ['a comma in the value', 'CN=a,O=x', [CN, 'a,O=x']],
    ['a comma in the value, the other way round', 'CN=a,O=x', [O, 'x,CN=a']],
    ['a plus sign in the value', 'CN=a+O=x', [CN, 'a+O=x']],
    ['a line break as Node writes it', 'CN=a,O=x', [CN, 'a\nO=x']],
    ['a slash as OpenSSL once wrote it', 'CN=a,O=x', [CN, 'a/O=x']],
    ['a backslash', 'CN=a\\,b', [CN, 'a\\,b']],
    ['NUL at the end', 'CN=a', [CN, 'a\0']],
    ['space at the end', 'CN=a', [CN, 'a ']],
    ['a byte order mark', 'CN=a', [CN, '\uFEFFa']],
    ['the other normal form', 'CN=\u00fc', [CN, 'u\u0308']],
    ['letters of another alphabet', 'CN=a', [CN, '\u0430']],
    ['a string whose text is ambiguous', 'CN=a', [CN, 'a', TELETEX]],
    ['a string of two octets per character', 'CN=a', [CN, '\0a', BMP]],
    ['the octets of another type of string', 'CN=#130161', a],
    ['no name', 'CN=a'],
  ]
  for (const [why, text, ...subject] of rows) t.notOk(matches(text, ...subject), why)
})

t.test('a value that is not of its type makes the certificate unreadable', async (t) => {
  for (const [value, tag] of [
    [Buffer.of(0xff), 0x0c],
    [Buffer.of(0xe9), PRINTABLE],
  ] as const) {
    t.equal(readCertificate(issue({ subject: name([CN, value, tag]), keys }).der), undefined)
  }
})

t.test('a text that is not a distinguished name is refused with the reason', async (t) => {
  const rows: [text: string, problem: RegExp][] = [
    ['', /where a part must begin/],
    ['billing', /where a part must begin/],
    ['CN=a, O=b', /without spaces between its parts: it has " O=b"/],
    ['CN=a,', /it has ""/],
    ['/CN=a/O=b', /where a part must begin/],
    ['CN=a\nO=b\n,', /where a part must begin/],
    ['01.2=a', /where a part must begin/],
    ['3.1=a', /attribute type 3\.1, which is no object identifier/],
    ['1.40=a', /which is no object identifier/],
    [`2.25.${'9'.repeat(40)}=a`, /which is no object identifier/],
    ['XY=a', /attribute type XY, which is not known/],
    ['__proto__=a', /where a part must begin/],
    ['constructor=a', /attribute type constructor/],
    ['CN=a;O=b', /";", which needs a backslash/],
    ['CN="a"', /which needs a backslash/],
    ['CN=a\\', /which needs a backslash/],
    ['CN=a\\x', /which needs a backslash/],
    ['CN=a ', /space/],
    ['CN= a', /space/],
    ['CN=#xyz', /begins with #/],
    ['CN=#0c', /is not a value in DER/],
    ['CN=\\FF', /not UTF-8/],
  ]
  for (const [text, problem] of rows) t.match(parseDistinguishedName(text), problem, text)
})
