import t from 'tap'
import { present } from '../../../../src/core/present.ts'

t.test('present leaves out undefined values only', async (t) => {
  const values: { a: number; b: string | undefined; c: null; d: string; e: boolean } = {
    a: 0,
    b: undefined,
    c: null,
    d: '',
    e: false,
  }
  const kept: { a: number; b?: string; c: null; d: string; e: boolean } = present(values)
  t.strictSame(kept, { a: 0, c: null, d: '', e: false })
  t.strictSame(Object.keys(kept), ['a', 'c', 'd', 'e'])
  t.strictSame(present({ ...values, b: 'b' }).b, 'b')
})

t.test('present keeps own properties with any name', async (t) => {
  const kept = present(JSON.parse('{"__proto__": 1}') as object)
  t.ok(Object.hasOwn(kept, '__proto__'))
  t.equal(Object.getPrototypeOf(kept), Object.prototype)
})
