import t from 'tap'
import { readEmail } from '../../../../src/core/email-address.ts'

t.test('E1 an address has one spelling for storing, comparing and sending', async (t) => {
  const table: [given: string, text: string, key: string][] = [
    ['alice@example.com', 'alice@example.com', 'alice@example.com'],
    ['Alice.B+tag@EXAMPLE.com', 'Alice.B+tag@example.com', 'alice.b+tag@example.com'],
    ['alice@bücher.example', 'alice@xn--bcher-kva.example', 'alice@xn--bcher-kva.example'],
    ['alice@BU\u0308CHER.example', 'alice@xn--bcher-kva.example', 'alice@xn--bcher-kva.example'],
    ['jos\u0065\u0301@example.com', 'jos\u00e9@example.com', 'jos\u00e9@example.com'],
    // The sign of kelvin is the letter K, and İ looks like i in lower case.
    ['\u212Aim@example.com', 'Kim@example.com', 'kim@example.com'],
    ['\u0130da@example.com', '\u0130da@example.com', 'ida@example.com'],
    ['i\u0307da@example.com', 'i\u0307da@example.com', 'ida@example.com'],
    ['\u0131da@example.com', '\u0131da@example.com', '\u0131da@example.com'],
    ["o'hara_1@mail.internal", "o'hara_1@mail.internal", "o'hara_1@mail.internal"],
    ['alice@localhost', 'alice@localhost', 'alice@localhost'],
  ]
  for (const [given, text, key] of table) t.same(readEmail(given), { text, key }, given)
})

t.test(
  'E1 quotes, comments, groups, controls, spaces and a second or confusable @ are refused',
  async (t) => {
    const refused = [
      '',
      'alice',
      '@example.com',
      'alice@',
      // GHSA-mm7p-fcc7-pg87.
      '"alice@evil.example x"@example.com',
      '"alice"@example.com',
      'alice(comment)@example.com',
      'alice@example.com(comment)',
      'group:alice@example.com;',
      'Alice <alice@example.com>',
      'alice@example.com,eve@evil.example',
      'alice@evil.example@example.com',
      // GHSA-268h-hp4c-crq3.
      'alice@example.com\r\nBcc: eve@evil.example',
      'alice\u0000@example.com',
      'alice @example.com',
      'alice@exam\u200Bple.com',
      'al\u200Dice@example.com',
      'al\uFE0Fice@example.com',
      'al\u034Fice@example.com',
      'alice\u3164@example.com',
      'alice\u115F@example.com',
      // GHSA-7rqj-j65f-68wh.
      'alice\uFF20evil.example',
      'alice\uFF20evil.example@example.com',
      'alice\uFE6Bevil.example@example.com',
      'alice@example\u3002com',
      'alice@\u2461.example',
      'alice..b@example.com',
      '.alice@example.com',
      'alice.@example.com',
      'alice@-example.com',
      'alice@example..com',
      'alice@example.com.',
      'alice@127.0.0.1',
      'alice@[127.0.0.1]',
      'alice@0x7f.1',
      'alice@exa_mple.com',
      `${'a'.repeat(65)}@example.com`,
      `alice@${'a'.repeat(64)}.com`,
      `alice@${'a.'.repeat(130)}com`,
      'al\uD800ice@example.com',
      'alice%0d%0a@exam%70le.com',
    ]
    for (const given of refused) t.equal(readEmail(given), undefined, JSON.stringify(given))
  },
)
