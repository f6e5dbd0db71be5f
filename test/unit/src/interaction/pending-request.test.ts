import t from 'tap'
import { bytesKept, isTooLong, MAX_REQUEST_BYTES } from '../../../../src/interaction/pending-request.ts'

t.test('a request is too long by the bytes that are kept, whatever its characters', async (t) => {
  for (const [what, character] of Object.entries({ plain: 'a', escaped: '\u0001', euro: '€', quote: '"' })) {
    for (const default_scope of ['', 'openid']) {
      const fits = (count: number) => ({ parameters: { state: character.repeat(count) }, default_scope })
      let count = 0
      while (bytesKept(fits(count + 1)) <= MAX_REQUEST_BYTES) count++
      t.equal(isTooLong(fits(count)), false, `${what}, ${default_scope}: fits`)
      t.equal(isTooLong(fits(count + 1)), true, `${what}, ${default_scope}: one character more`)
    }
  }
  const many = Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`n${i}`, '']))
  t.equal(
    isTooLong({ parameters: many, default_scope: '' }),
    bytesKept({ parameters: many }) > MAX_REQUEST_BYTES,
  )
})
