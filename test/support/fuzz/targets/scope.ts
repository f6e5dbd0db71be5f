import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isScopeToken, resolveScope, scopeNames } from '../../../../src/core/scope.ts'
import { type Target, twoParts, unlessRefused } from '../target.ts'

const NAMES = ['a', 'b', 'openid', 'api.read', 'A', '__proto__', 'a"b', 'a\\b', '\u00e9', '']
const SPACES = [' ', '  ', '\t', '\r', '\v', '\f', '\u00a0', '\u2003']

/** Whether every character is printable ASCII but no quote, backslash or space (RFC 6749 §3.3). */
function isName(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  return (
    codes.length > 0 && codes.every((code) => code > 0x20 && code < 0x7f && code !== 0x22 && code !== 0x5c)
  )
}

/** Scope (RFC 6749 §3.3): never more than is allowed. An input: the allowed names, and the requested scope. */
export const scope: Target = {
  name: 'scope',
  words: [...NAMES, ...SPACES],
  inputs: fc.oneof(
    fc
      .tuple(
        fc.array(fc.constantFrom(...NAMES), { maxLength: 5 }),
        fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...SPACES)), { maxLength: 6 }),
      )
      .map(([allowed, requested]) => `${allowed.join(' ')}\n${requested.flat().join('')}`),
    fc.tuple(fc.string(), fc.string({ unit: 'binary' })).map((pair) => pair.join('\n')),
  ),
  check(input) {
    const [first, requested] = twoParts(input)
    for (const name of requested.split(' ')) assert.equal(isScopeToken(name), isName(name))
    const names = scopeNames(requested)
    assert.deepEqual(scopeNames(names.join(' ')), names)
    assert.equal(names.join('').length === 0, requested.replace(/[ \t\n\v\f\r]/g, '') === '')

    // A client record has only well-formed names.
    const allowed = [...new Set(first.split(' ').filter(isName))]
    const granted = unlessRefused('invalid_scope', () => resolveScope(requested, allowed))
    if (granted === undefined) assert.ok(names.some((name) => !allowed.includes(name)))
    else
      assert.deepEqual(
        scopeNames(granted),
        names.length === 0 ? allowed : names.filter((name) => allowed.includes(name)),
      )
  },
}
