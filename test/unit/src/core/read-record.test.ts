import t from 'tap'
import { SILENT } from '../../../../src/core/log.ts'
import { readRecord } from '../../../../src/core/read-record.ts'
import { FieldReader } from '../../../../src/core/record-hash.ts'

t.test('a malformed record is not returned, and its problems are logged without its texts', async (t) => {
  const lines: [object, string][] = []
  const log = { ...SILENT, warn: (details: object, message: string) => void lines.push([details, message]) }
  const problems = [
    { field: 'a', problem: 'is missing' },
    { field: 'b', problem: 'must be 1', entry: { index: 2, text: 'x' } },
  ]
  t.equal(readRecord({ ok: false, problems }, log, 'thing', { thing_id: 't' }), undefined)
  t.strictSame(lines, [
    [{ thing_id: 't', field: 'a' }, 'The thing record is refused: a is missing.'],
    [{ thing_id: 't', field: 'b' }, 'The thing record is refused: b[2] must be 1.'],
  ])
})

t.test('a well-formed record is returned, and nothing is logged', async (t) => {
  const log = { ...SILENT, warn: () => t.fail('nothing to log') }
  t.strictSame(readRecord({ ok: true, record: { a: 1 } }, log, 'thing', {}), { a: 1 })
})

t.test('what every object inherits is no field', async (t) => {
  const fields = new FieldReader({})
  for (const name of ['constructor', 'toString', '__proto__']) t.equal(fields.optional(name), undefined, name)
  const own = JSON.parse('{"__proto__":"a","constructor":"b"}')
  t.strictSame(
    ['__proto__', 'constructor'].map((name) => new FieldReader(own).optional(name)),
    ['a', 'b'],
  )
})
