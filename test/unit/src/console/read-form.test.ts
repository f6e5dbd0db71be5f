import t from 'tap'
import { readForm } from '../../../../src/console/read-form.ts'

t.test('a form is read strictly, with line breaks', async (t) => {
  t.same({ ...readForm('a=1%0D%0A2&b=&c=%F0%9F%9A%80+x') }, { a: '1\r\n2', b: '', c: '🚀 x' })
  t.same({ ...readForm('') }, {})
  t.equal(Object.getPrototypeOf(readForm('__proto__=1')), null)
  t.same(Object.keys(readForm('__proto__=1')), ['__proto__'])
  t.same({ ...readForm('a[]=1&b=2&a[]=&a%5B%5D=3') }, { a: '1\n\n3', b: '2' }, 'a list is lines')
  for (const wrong of [
    'a=1&a=2',
    'a=1&a[]=2',
    'a[]=1&a=2',
    'a=%FF',
    'a=%',
    'a=%00',
    'a=%1B%5B2J',
    Array(202)
      .fill('')
      .map((_, i) => `${i}=1`)
      .join('&'),
  ])
    t.throws(() => readForm(wrong), { code: 'invalid_request' }, wrong.slice(0, 20))
})
