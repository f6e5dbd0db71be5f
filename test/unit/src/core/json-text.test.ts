import t from 'tap'
import { jsonText } from '../../../../src/core/json-text.ts'

t.test('a text is written as JSON.stringify writes it', async (t) => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = `a${String.fromCharCode(unit)}b`
    if (jsonText(text) !== JSON.stringify(text)) t.fail(`U+${unit.toString(16)}: ${jsonText(text)}`)
  }
  for (const text of ['', 'plain', '😀', 'x'.repeat(1000), `${'x'.repeat(1000)}"`])
    t.equal(jsonText(text), JSON.stringify(text))
})
