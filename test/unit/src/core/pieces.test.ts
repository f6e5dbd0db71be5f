import t from 'tap'
import { piecesOf } from '../../../../src/core/pieces.ts'

t.test('a text has the pieces that split finds', async (t) => {
  for (const text of ['', '&', '&&', 'a', 'a&b', '&a', 'a&', 'a&&b', '&a&b&'])
    t.strictSame(piecesOf(text, '&'), text.split('&'), text)
})
