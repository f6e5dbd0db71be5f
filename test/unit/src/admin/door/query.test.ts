// The query of a request to the admin API.
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { readQuery } from '../../../../../src/admin/door/query.ts'

const OPERATION = {
  query: Type.Object({ name: Type.Optional(Type.String()), count: Type.Optional(Type.Integer()) }),
  needs: { page: true, dry_run: true },
} as const

t.test('a query is read by the schema of the operation', async (t) => {
  t.match(readQuery(OPERATION, ''), { query: {}, limit: 50, cursor: undefined, dry_run: false })
  const encoded = 'name=a+b&count=-3&limit=200&cursor=x&dry_run=true'
  const query = { name: 'a b', count: -3 }
  t.match(readQuery(OPERATION, encoded), { query, limit: 200, cursor: 'x', dry_run: true })
})

for (const [what, encoded] of [
  ['a parameter given twice', 'name=a&name=a'],
  ['the same name in another encoding', 'name=a&n%61me=b'],
  ['one given twice, once empty', 'limit=1&limit='],
  ['an unknown parameter', 'no_such=1'],
  ['a name of a prototype', '__proto__=1'],
  ['a number in another form', 'count=1e3'],
  ['a number with too many digits', 'count=1234567890123456'],
  ['no boolean', 'dry_run=yes'],
  ['too many items of a page', 'limit=201'],
  ['an empty cursor', 'cursor='],
  ['half an escape', 'name=%e'],
  ['bytes that are not UTF-8', 'name=%ff'],
] as const)
  t.test(`refused: ${what}`, async (t) => {
    t.throws(() => readQuery(OPERATION, encoded), { name: 'AdminError', code: 'invalid_request' })
  })
