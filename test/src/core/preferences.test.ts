// Suite: unit
import t from 'tap'
import { firstPreferences } from '../../../src/core/preferences.ts'

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
