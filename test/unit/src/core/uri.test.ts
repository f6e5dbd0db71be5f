import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isUrl, withQuery } from '../../../../src/core/uri.ts'

// More calls than V8 needs to optimize a function.
const CALLS = 300_000

t.test('a URL is one for a process that has run for long, too', async (t) => {
  let taken = 0
  for (let i = 0; i < CALLS; i++) taken += isUrl(`https://a.example/${i & 7}`) ? 1 : 0
  t.equal(taken, CALLS)
  t.ok(isUrl('https://bücher.example'), 'a letter of Latin-1')
  t.notOk(isUrl('https://\u00c3\u0080.example'), 'bytes that would be another letter in UTF-8')
  t.notOk(isUrl('bücher'))
})

t.test('no source asks URL.canParse, which errs on Node 20', async (t) => {
  for (const folder of ['src', 'cli', 'plugins', 'rooms', 'routes', 'exports', 'workers']) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    for (const name of files.filter((name) => name.endsWith('.ts'))) {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n')
      t.notOk(
        lines.find((line) => line.includes('.canParse') && !/^ *(\*|\/\/)/.test(line)),
        name,
      )
    }
  }
})

t.test('a query is written as URLSearchParams writes it', async (t) => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = `a${String.fromCharCode(unit)}b`
    const written = withQuery('u', { [text]: text })
    if (written !== `u?${new URLSearchParams({ [text]: text })}`) t.fail(`U+${unit.toString(16)}: ${written}`)
  }
  const several = { code: 'a.b', empty: '', state: '😀 !', iss: 'https://as.example' }
  t.equal(withQuery('u', several), `u?${new URLSearchParams(several)}`)
  t.equal(withQuery('u?own=1', { a: '1' }), 'u?own=1&a=1')
  t.equal(withQuery('u?own=1&', { a: '1' }), 'u?own=1&a=1')
})
