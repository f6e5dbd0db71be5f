// Suite: unit
import t from 'tap'
import { OAuthError } from '../../../src/core/errors.ts'
import { isScopeToken, resolveScope, scopeNames } from '../../../src/core/scope.ts'

t.test('a scope name (RFC 6749 §3.3)', async (t) => {
  for (let code = 0; code < 0x180; code++) {
    const character = String.fromCharCode(code)
    const allowed = code === 0x21 || (code >= 0x23 && code <= 0x5b) || (code >= 0x5d && code <= 0x7e)
    t.equal(isScopeToken(character), allowed, `U+${code.toString(16)}`)
  }
  t.notOk(isScopeToken(''))
  t.ok(isScopeToken('https://www.example.com/auth/api.read'))
  t.notOk(isScopeToken('api.read '))
  t.notOk(isScopeToken('api.read\n'))
  t.notOk(isScopeToken('api.read api.write'))
})

t.test('the names in a scope', async (t) => {
  const table: [scope: string, names: string[]][] = [
    ['', []],
    [' ', []],
    ['\t \n', []],
    ['a', ['a']],
    [' a ', ['a']],
    ['a b', ['a', 'b']],
    ['b a', ['b', 'a']],
    ['a  b\tc\nd', ['a', 'b', 'c', 'd']],
    ['a b a', ['a', 'b']],
    ['a A', ['a', 'A']],
    ['__proto__ constructor', ['__proto__', 'constructor']],
  ]
  for (const [scope, names] of table) t.same(scopeNames(scope), names, JSON.stringify(scope))
})

t.test('the scope to grant', async (t) => {
  const table: [requested: string | undefined, allowed: string[], granted: string][] = [
    [undefined, ['a', 'b'], 'a b'],
    ['', ['a', 'b'], 'a b'],
    [' ', ['a', 'b'], 'a b'],
    [undefined, [], ''],
    ['a', ['a', 'b'], 'a'],
    ['b a', ['a', 'b'], 'b a'],
    ['a a', ['a', 'b'], 'a'],
    ['  a   b ', ['a', 'b'], 'a b'],
  ]
  for (const [requested, allowed, granted] of table) {
    t.equal(resolveScope(requested, allowed), granted, `"${requested}" of "${allowed}"`)
  }
})

t.test('a scope beyond what is allowed', async (t) => {
  const table: [requested: string, allowed: string[], description: string][] = [
    ['c', ['a', 'b'], 'This client may not obtain the requested scope: c.'],
    ['a c d', ['a', 'b'], 'This client may not obtain the requested scope: c d.'],
    ['a', [], 'This client may not obtain the requested scope: a.'],
    ['A', ['a'], 'This client may not obtain the requested scope: A.'],
    ['a.', ['a'], 'This client may not obtain the requested scope: a..'],
    ['a"b', ['a'], 'This client may not obtain the requested scope.'],
    ['ä c', ['a'], 'This client may not obtain the requested scope: c.'],
    ['<script>', ['a'], 'This client may not obtain the requested scope: <script>.'],
    ['length', ['a'], 'This client may not obtain the requested scope: length.'],
  ]
  for (const [requested, allowed, description] of table) {
    t.throws(() => resolveScope(requested, allowed), new OAuthError('invalid_scope', description), requested)
  }
})
