import t from 'tap'
import { boolean, names, oneOf, seconds, text, uris, words } from '../../../../src/core/field-kinds.ts'
import {
  type DefinitionOf,
  formatFields,
  parseFields,
  type RecordOf,
} from '../../../../src/core/field-table.ts'
import { describeProblem } from '../../../../src/core/record-hash.ts'

const said = { label: 'Field', docs: '' }
const noX = (entry: string) => (entry.includes('x') ? 'has an x' : undefined)

const TABLE = {
  name: text({ required: true, ...said }),
  note: text({ check: noX, ...said }),
  secret: text({ always: true, ...said }),
  on: boolean({ default: true, ...said }),
  off: boolean({ default: false, ...said }),
  type: oneOf(['a', 'b'], { default: 'a', ...said }),
  format: oneOf(['c', 'd'], { ...said }),
  ttl: seconds({ max: 100, ...said }),
  delay: seconds({ min: 0, max: 10, default: 5, ...said }),
  tags: words({ default: [], check: noX, ...said }),
  kinds: words({ default: [], choices: ['k', 'l'], check: noX, ...said }),
  urls: uris({ default: [], always: true, check: noX, ...said }),
}
type Thing = RecordOf<typeof TABLE>
type ThingDefinition = DefinitionOf<typeof TABLE>

const DEFAULTS: Thing = {
  name: 'n',
  on: true,
  off: false,
  type: 'a',
  delay: 5,
  tags: [],
  kinds: [],
  urls: [],
}
const problemsOf = (hash: Record<string, string>) => {
  const parsed = parseFields(TABLE, { name: 'n', ...hash })
  return parsed.ok ? [] : parsed.problems.map(describeProblem)
}

t.test('a record without optional fields has the defaults', async (t) => {
  const expected: Thing = DEFAULTS
  t.strictSame(parseFields(TABLE, { name: 'n' }), { ok: true, record: expected })
  t.strictSame(parseFields(TABLE, { name: 'n', note: '', ttl: '', on: '' }), { ok: true, record: expected })
})

t.test('a formatted record can be parsed again', async (t) => {
  const full: Thing = {
    name: 'n',
    note: 'm',
    secret: 's',
    on: false,
    off: true,
    type: 'b',
    format: 'd',
    ttl: 100,
    delay: 0,
    tags: ['t', 'u'],
    kinds: ['l'],
    urls: ['v'],
  }
  t.strictSame(parseFields(TABLE, formatFields(TABLE, full)), { ok: true, record: full })
  t.strictSame(parseFields(TABLE, formatFields(TABLE, DEFAULTS)), { ok: true, record: DEFAULTS })
})

t.test('defaults and empty fields are left out, except for fields that are always written', async (t) => {
  t.strictSame(formatFields(TABLE, DEFAULTS), { name: 'n', secret: '', urls: '' })
  const least: ThingDefinition = { name: '', urls: [] }
  t.strictSame(formatFields(TABLE, least), { name: '', secret: '', urls: '' })
  t.strictSame(formatFields(TABLE, { ...least, delay: 0, on: false, tags: ['a', 'b'] }), {
    name: '',
    secret: '',
    on: 'false',
    delay: '0',
    tags: 'a b',
    urls: '',
  })
})

t.test('every problem is reported, in the order of the table', async (t) => {
  const hash = { urls: 'x', tags: ' a', ttl: '0', format: 'e', type: 'A', off: '1', on: 'True', note: 'x' }
  t.strictSame(problemsOf({ ...hash, name: '', kinds: 'k x' }), [
    'name is missing',
    'note has an x',
    'on must be "true" or "false"',
    'off must be "true" or "false"',
    'type must be "a" or "b"',
    'format must be "c" or "d"',
    'ttl must be a whole number of seconds from 1 to 100',
    'tags must be separated by single spaces, with none before or after',
    'kinds: "x" has an x',
    'urls: "x" has an x',
  ])
  const checked = parseFields(TABLE, { ttl: '0', on: 'false' }, ({ on }, fields) => {
    if (on === false) fields.fail('note', 'is wrong')
  })
  t.match(checked, { ok: false, problems: [{ field: 'name' }, { field: 'note' }, { field: 'ttl' }] })
})

t.test('seconds are whole decimal numbers within their limits', async (t) => {
  for (const [value, ttl] of [
    ['1', 1],
    ['99', 99],
    ['100', 100],
  ] as const) {
    t.match(parseFields(TABLE, { name: 'n', ttl: value }), { ok: true, record: { ttl } })
  }
  for (const ttl of [
    '0',
    '101',
    '-1',
    '+1',
    '1.0',
    '1e1',
    '01',
    ' 1',
    '1 ',
    '0x1',
    'Infinity',
    '١',
    '9'.repeat(400),
  ]) {
    t.strictSame(
      problemsOf({ ttl }),
      ['ttl must be a whole number of seconds from 1 to 100'],
      ttl.slice(0, 9),
    )
  }
  t.match(parseFields(TABLE, { name: 'n', delay: '0' }), { ok: true, record: { delay: 0 } })
  t.strictSame(problemsOf({ delay: '11' }), ['delay must be a whole number of seconds from 0 to 10'])
})

t.test('values given as JSON are checked and converted to text', async (t) => {
  const { note, on, type, ttl, tags, urls } = TABLE
  for (const [field, given, text] of [
    [note, 'a', 'a'],
    [on, false, 'false'],
    [on, 'maybe', 'maybe'],
    [type, 'z', 'z'],
    [ttl, 5, '5'],
    [ttl, 1.5, '1.5'],
    [ttl, '5', '5'],
    [tags, ['a', 'b'], 'a b'],
    [tags, [], ''],
    [urls, 'a b', 'a b'],
  ] as const) {
    t.strictSame(field.fromJson(given), { text }, JSON.stringify(given))
  }
  for (const [field, given, problem] of [
    [note, 7, 'must be a string'],
    [on, 1, 'must be true or false'],
    [type, ['a'], 'must be a string'],
    [ttl, true, 'must be a number of seconds'],
    [tags, 3, 'must be an array of strings or a string'],
    [tags, ['a', 3], 'must be an array of strings that are not empty and have no white space'],
    [urls, ['a b'], 'must be an array of strings that are not empty and have no white space'],
    [urls, [''], 'must be an array of strings that are not empty and have no white space'],
  ] as const) {
    t.strictSame(field.fromJson(given), { problem }, JSON.stringify(given))
  }
})

t.test('a list of names: absent, empty, and names with spaces and percent signs', async (t) => {
  const table = { groups: names({ ...said, empty: 'nobody' }) }
  const read = (hash: Record<string, string>) => parseFields(table, hash)
  const cases: [hash: Record<string, string>, groups: string[] | undefined][] = [
    [{}, undefined],
    [{ groups: '' }, []],
    [{ groups: 'staff' }, ['staff']],
    [{ groups: 'Human%20Resources 100%25 a%C2%A0b ä/b' }, ['Human Resources', '100%', 'a\u00a0b', 'ä/b']],
  ]
  for (const [hash, groups] of cases) {
    const record = groups === undefined ? {} : { groups }
    t.strictSame(read(hash), { ok: true, record }, JSON.stringify(hash))
    t.strictSame(formatFields(table, record), hash, 'and written as it was read')
  }
  for (const groups of [' ', 'a  b', ' a', 'a\tb', '100%', '%zz', '%', 'a%ff']) {
    t.match(read({ groups }), { ok: false }, JSON.stringify(groups))
  }
  const { fromJson } = table.groups
  t.strictSame(fromJson(['Human Resources', '100%', 'a%20b']), { text: 'Human%20Resources 100%25 a%2520b' })
  t.strictSame(fromJson([]), { text: '' })
  t.strictSame(fromJson('Human%20Resources staff'), { text: 'Human%20Resources staff' }, 'as it is stored')
  for (const given of [[''], [7], 7, {}, null]) t.match(fromJson(given), { problem: /must be/ })
})
