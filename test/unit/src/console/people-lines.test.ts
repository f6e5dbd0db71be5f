// Lists of people as they are pasted: from mail programs, spreadsheets and by hand.
import t from 'tap'
import { MAX_PEOPLE, readPeople } from '../../../../src/console/people-lines.ts'

const linesOf = (typed: string) => {
  const read = readPeople(typed)
  return read.ok ? read.lines.map(({ email, name, problem }) => [email, name, problem]) : read.problem
}

t.test('an address, a mail program and cells say the same', async (t) => {
  const ada = [['ada@example.com', 'Ada Lind', undefined]]
  for (const typed of [
    'Ada Lind <ada@example.com>',
    '"Ada Lind" <ada@example.com>,',
    'Ada Lind,ada@example.com',
    'ada@example.com\tAda Lind',
    '\r\nada@example.com; Ada Lind\r\n',
    'Name;Mail\nAda Lind;ada@example.com',
    'department,E-Mail,name\nsales,ada@example.com,Ada Lind',
  ])
    t.strictSame(linesOf(typed), ada, JSON.stringify(typed))
  t.strictSame(linesOf('"Lind, ""Ada""",ada@example.com'), [['ada@example.com', 'Lind, "Ada"', undefined]])
  t.strictSame(linesOf('ada@example.com'), [['ada@example.com', '', undefined]])
})

t.test('what is wrong is said of its line, as an editor counts it', async (t) => {
  const read = readPeople('ada@example.com\n\nnobody\nb@\nADA@example.com\n__proto__,c@example.com')
  t.match(read, {
    lines: [
      { number: 1 },
      { number: 3, problem: /no e-mail address/ },
      { number: 4, problem: /no e-mail address/ },
      { number: 5, problem: /in the list before/ },
      { number: 6, name: '__proto__', email: 'c@example.com' },
    ],
  })
  t.match(readPeople(`${'x'.repeat(600)}@example.com`), { lines: [{ problem: 'The line is too long.' }] })
})

t.test('a list has somebody, and not too many', async (t) => {
  t.equal(linesOf(' \n'), 'There is nobody in the list.')
  t.equal(linesOf('email,name'), 'There is nobody in the list.')
  const many = Array.from({ length: MAX_PEOPLE + 1 }, (_, i) => `p${i}@example.com`)
  t.match(linesOf(many.join('\n')), /101 people: at most 100/)
  t.equal(linesOf(many.slice(1).join('\n')).length, MAX_PEOPLE)
})
