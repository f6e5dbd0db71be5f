// Suite: unit
import t from 'tap'
import { firstPreferences, preferredMediaType } from '../../../src/core/preferences.ts'

t.test('a header that lists preferences is read whole up to 256 characters', async (t) => {
  t.equal(firstPreferences(undefined), undefined)
  for (const header of ['', 'de', 'de, en;q=0.5', 'a'.repeat(256)]) t.equal(firstPreferences(header), header)
})

t.test('of a longer one, the whole entries in the first 256 characters', async (t) => {
  const rows: [header: string, read: string][] = [
    [`${'a'.repeat(256)},de`, 'a'.repeat(256)],
    [`${'a'.repeat(257)},de`, ''],
    [`de,${'a'.repeat(300)},en`, 'de'],
    [`de,${'a'.repeat(252)},${'b'.repeat(14_000)}`, `de,${'a'.repeat(252)}`],
    [','.repeat(14_000), ','.repeat(256)],
    ['a'.repeat(14_000), ''],
  ]
  for (const [header, read] of rows) t.equal(firstPreferences(header), read, header.slice(0, 20))
})

t.test('Accept chooses a media type by quality, precision and order (RFC 9110 §12.5.1)', async (t) => {
  const rows: [header: string | undefined, preferred: string | undefined][] = [
    [undefined, 'text/html'],
    ['', 'text/html'],
    ['*/*', 'text/html'],
    ['application/json', 'application/json'],
    ['Application/JSON', 'application/json'],
    ['application/json, text/html', 'application/json'],
    ['text/html, application/json', 'text/html'],
    ['text/html;q=0.9, application/json', 'application/json'],
    ['text/html ; q=0.9, application/json;Q=0.8', 'text/html'],
    ['*/*, application/json', 'application/json'],
    ['application/*, */*', 'application/json'],
    ['text/*;q=0.5, */*;q=0.6', 'application/json'],
    ['text/html;q=0, */*;q=0.1', 'application/json'],
    ['text/html;q=0.1, */*;q=0', 'text/html'],
    ['text/html;level=1, application/json;q=0.1', 'application/json'],
    ['text/html;q=2, application/json;q=0.1', 'application/json'],
    ['text/html;q=0.1;level=1, application/json;q=0.1', 'application/json'],
    ['image/png', undefined],
    ['*/*;q=0', undefined],
    ['text', undefined],
    [',;,', undefined],
    [`${'a/b,'.repeat(50)}text/html`, undefined],
  ]
  for (const [header, preferred] of rows) {
    t.equal(preferredMediaType(header, ['text/html', 'application/json']), preferred, String(header))
  }
})
