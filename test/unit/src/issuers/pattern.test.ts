// Patterns and conditions for claims of assertions.

import t from 'tap'
import { conditionProblem, unmetCondition } from '../../../../src/issuers/conditions.ts'
import { matchesPattern, parsePattern, patternProblem } from '../../../../src/issuers/pattern.ts'

const matches = (text: string, value: string) => {
  const pattern = parsePattern(text)
  return typeof pattern !== 'string' && matchesPattern(pattern, value)
}

t.test('what a pattern matches', async (t) => {
  const rows: [pattern: string, matched: string[], others: string[]][] = [
    ['acme', ['acme'], ['Acme', 'acme ', 'acm', '', 'xacme']],
    [
      'repo:acme/*',
      ['repo:acme/shop', 'repo:acme/'],
      ['repo:acme/shop:ref', 'repo:acme/a/b', 'repo:evil/acme/'],
    ],
    [
      'repo:acme/shop:**',
      ['repo:acme/shop:ref:refs/heads/main', 'repo:acme/shop:'],
      ['repo:acme/shopping:x'],
    ],
    ['*:*', ['a:b', ':'], ['ab', 'a:b:c', 'a:/']],
    ['**/main', ['refs/heads/main', '/main'], ['main', 'refs/heads/main2']],
    ['a*b*c', ['abc', 'a-b-c', 'abbcc', 'abcbc'], ['ac', 'ab', 'a/bc']],
    ['Deploy%20to%20prod', ['Deploy to prod'], ['Deploy%20to%20prod']],
    ['%2A', ['*'], ['x']],
    ['**', ['', 'a:b/c'], []],
    ['é*', ['éa'], ['e\u0301a']],
    ['__proto__', ['__proto__'], ['']],
  ]
  for (const [pattern, matched, others] of rows) {
    for (const value of matched) t.ok(matches(pattern, value), `${pattern} matches "${value}"`)
    for (const value of others) t.notOk(matches(pattern, value), `${pattern} does not match "${value}"`)
  }
})

t.test('malformed patterns and conditions', async (t) => {
  for (const pattern of ['', '***', '%', '%zz', '%ff', 'x'.repeat(513), '*a'.repeat(9)]) {
    t.type(patternProblem(pattern), 'string', pattern)
    t.notOk(matches(pattern, pattern))
  }
  for (const condition of ['', 'name', '=x', 'name=', 'name=%']) t.type(conditionProblem(condition), 'string')
  t.equal(unmetCondition(['name=%'], { name: '%' }), 'name=%', 'a malformed condition is never met')
})

t.test('the work for a pattern is bounded', async (t) => {
  t.notOk(matches(`${'**a'.repeat(8)}b`, 'a'.repeat(2048)))
  t.notOk(matches('**', 'a'.repeat(2049)), 'a longer value matches nothing')
})

t.test('conditions find claims inside of others', async (t) => {
  const claims = {
    'kubernetes.io': { namespace: 'prod', serviceaccount: { name: 'billing' } },
    'https://sts.example/': { account: '123' },
    'a/b': 'c',
    'x~y': 'z',
    number: 7,
    flag: true,
    list: ['one'],
    none: null,
  }
  const met = [
    '/kubernetes.io/namespace=prod',
    '/kubernetes.io/serviceaccount/name=bill*',
    '/https:~1~1sts.example~1/account=123',
    'a/b=c',
    '/a~1b=c',
    '/x~0y=z',
    'number=7',
    'flag=true',
  ]
  t.equal(unmetCondition(met, claims), undefined)
  const unmet = [
    'list=one',
    '/list/0=one',
    'none=null',
    'missing=**',
    'toString=**',
    '__proto__=**',
    '/a~1b/length=1',
    'kubernetes.io=**',
  ]
  for (const condition of unmet) t.equal(unmetCondition([condition], claims), condition)
})
