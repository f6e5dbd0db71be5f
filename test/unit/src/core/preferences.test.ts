import t from 'tap'
import { acceptedLanguages, preferredMediaType } from '../../../../src/core/preferences.ts'

t.test('of a long header, the whole entries in the first 256 characters are read', async (t) => {
  const rows: [header: string, read: string[]][] = [
    [`${'a'.repeat(256)},de`, ['a'.repeat(256)]],
    [`${'a'.repeat(257)},de`, []],
    [`de,${'a'.repeat(300)},en`, ['de']],
    [`de,${'a'.repeat(252)},${'b'.repeat(14_000)}`, ['de', 'a'.repeat(252)]],
    [`${','.repeat(14_000)}de`, []],
    ['a'.repeat(14_000), []],
  ]
  for (const [header, read] of rows) t.same(acceptedLanguages(header), read, header.slice(0, 20))
  t.equal(preferredMediaType(`text/html,${'a'.repeat(300)}`, ['text/html']), 'text/html')
  t.equal(preferredMediaType(`${'a/b,'.repeat(70)}text/html`, ['text/html']), undefined)
})

t.test('Accept chooses a media type by quality, precision and order (RFC 9110 §12.5.1)', async (t) => {
  const rows: [header: string | undefined, preferred: string | undefined][] = [
    [undefined, 'text/html'],
    ['', 'text/html'],
    ['*/*', 'text/html'],
    ['Application/JSON', 'application/json'],
    ['application/json, text/html', 'application/json'],
    ['text/html;q=0.9, application/json', 'application/json'],
    ['*/*, application/json', 'application/json'],
    ['text/html;q=0, */*;q=0.1', 'application/json'],
    ['image/png', undefined],
    ['*/*;q=0', undefined],
    [',;,', undefined],
  ]
  for (const [header, preferred] of rows) {
    t.equal(preferredMediaType(header, ['text/html', 'application/json']), preferred, String(header))
  }
})
