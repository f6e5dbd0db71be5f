// Suite: unit
import { Command } from 'ioredis'
import t from 'tap'
import { commandText } from '../../../../src/storage/redis/command-text.ts'

t.test('a command has the text that the driver would write', async (t) => {
  const lengths = [0, 1, 12, 13, 255, 256, 70_000]
  const cases: Record<string, string[]> = {
    'no argument': [],
    'every length': lengths.map((length) => 'x'.repeat(length)),
    'characters of several bytes': ['é', '漢字', '😀', 'é'.repeat(200), 'plain'],
    'a lone surrogate': ['a\uD800b', '\uDC00'],
    'what looks like the protocol': ['$3\r\nfoo\r\n', '*1', '\r\n', '\0'],
  }
  for (const [name, args] of Object.entries(cases)) {
    const expected = new Command('evalsha', [...args]).toWritable({})
    t.equal(commandText(['evalsha', ...args]), expected, name)
  }
})
