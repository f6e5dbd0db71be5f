import t from 'tap'
import { isScopeToken, resolveScope, scopeNames } from '../../../../src/core/scope.ts'

t.test('the syntax of a scope name (RFC 6749 §3.3)', async (t) => {
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
  const many = Array.from({ length: 50 }, (_, i) => `name-${i}`)
  t.same(scopeNames([...many, ...many].join(' ')), many, 'of many, each once')
})

t.test('the granted scope: the requested names if all are allowed, by default all allowed', async (t) => {
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

t.test('a scope that is not allowed is invalid_scope', async (t) => {
  const many = Array.from({ length: 22 }, (_, index) => `s${index}`)
  const table: [requested: string, allowed: string[], shown: string][] = [
    ['c', ['a', 'b'], ': c. It may obtain: a b.'],
    ['a c d', ['a', 'b'], ': c d. It may obtain: a b.'],
    ['a', [], ': a. It may obtain none: its field allowed_scopes is empty.'],
    ['A', ['a'], ': A. It may obtain: a.'],
    ['a.', ['a'], ': a.. It may obtain: a.'],
    ['a"b', ['a'], '. It may obtain: a.'],
    ['ä c', ['a'], ': c. It may obtain: a.'],
    ['<script>', ['a'], ': <script>. It may obtain: a.'],
    ['length', ['a'], ': length. It may obtain: a.'],
    ['w x y z', many, `: w x y. It may obtain: ${many.slice(0, 20).join(' ')} and 2 more.`],
    ['x', ['a', 'b'.repeat(65)], ': x. It may obtain: a and 1 more.'],
  ]
  for (const [requested, allowed, shown] of table) {
    const description = `This client may not obtain the requested scope${shown}`
    const error = { code: 'invalid_scope', reason: 'scope_not_allowed', description }
    t.throws(() => resolveScope(requested, allowed), error, requested)
  }
})
