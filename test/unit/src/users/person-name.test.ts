import t from 'tap'
import { readPersonName } from '../../../../src/users/person-name.ts'

t.test('a name is what one can read, in one form', async (t) => {
  for (const [typed, name] of [
    ['  Ada   Lind ', 'Ada Lind'],
    ['', ''],
    ['   ', ''],
    ['e\u0301', '\u00e9'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['👩‍🚀', '👩‍🚀'],
  ] as const)
    t.equal(readPersonName(typed), name, JSON.stringify(typed))
})

t.test('what nobody can read, or what changes the text around it, is none', async (t) => {
  for (const typed of [
    'x'.repeat(101),
    'x'.repeat(2000),
    'Ada\nLind',
    'Ada\u0000',
    'Ada \u202Etsop',
    '\u2066Ada',
    'Ada\u200f',
    '\u200b',
    '\ud800',
    'Ada\u2028Lind',
    '\u0301',
  ])
    t.equal(readPersonName(typed), undefined, Buffer.from(typed, 'utf16le').toString('hex').slice(0, 40))
})
