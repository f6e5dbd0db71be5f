import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readBearerToken } from '../../../../src/resource-server/presented-token.ts'
import { type Target, twoParts, unlessRefused } from '../target.ts'

/** The Authorization header of a bearer token (RFC 6750 §2.1), and a token in the form on a second line. */
export const bearer: Target = {
  name: 'bearer',
  words: [
    'Bearer ',
    'DPoP ',
    'bearer',
    'BEARER  ',
    ' ',
    '\t',
    '%',
    '%E0%A4%A',
    'Basic ',
    ',',
    'a.b.c',
    '\u00a0',
  ],
  inputs: fc.oneof(
    fc.string().map((token) => `Bearer ${token}`),
    fc.tuple(fc.string(), fc.string()).map(([header, body]) => `Bearer ${header}\n${body}`),
    fc.string({ unit: 'binary' }),
  ),
  check(input) {
    const [first, form_token] = twoParts(input)
    const header = first.replace(/[^\x20-\x7e\x80-\xff]/g, '')
    const in_header = /^bearer /i.test(header) ? header.slice(7).trim() : ''
    assert.equal(
      readBearerToken({ headers: { authorization: header } }),
      in_header === '' ? undefined : in_header,
    )
    const both = unlessRefused('invalid_request', () =>
      readBearerToken({ headers: { authorization: header } }, form_token),
    )
    const is_proven = /^dpop /i.test(header) && header.slice(5).trim() !== ''
    assert.equal(both, in_header === '' && !is_proven ? form_token : undefined, 'two tokens are refused')
  },
}
