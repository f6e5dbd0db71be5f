import t from 'tap'
import {
  addArguments,
  headerOf,
  type NamedValue,
  type ScriptHeader,
  withLocals,
} from '../../../../../../src/storage/redis/parts/script-arguments.ts'

function argumentsOf(header: ScriptHeader, named: Readonly<Record<string, NamedValue>>): string[] {
  const command: string[] = []
  addArguments(command, header, named)
  return command
}

const LUA = '-- args: one, two\n-- args: some[], more[]\nreturn one\n'

t.test('a header gives each argument a local, and each list its positions', async (t) => {
  t.equal(
    withLocals(LUA),
    [
      'local one, two = ARGV[1], ARGV[2]',
      'local some_first, some_last = 3 + 1, 3 + tonumber(ARGV[3])',
      'local more_first, more_last = some_last + 1, #ARGV',
      'return one\n',
    ].join('\n'),
  )
  t.equal(withLocals('return 1\n'), 'return 1\n', 'without arguments')
})

t.test(
  'named arguments are sent in the order of the header; a list is counted unless it is the last',
  async (t) => {
    const header = headerOf(LUA)
    t.strictSame(argumentsOf(header, { more: ['c'], some: ['a', 'b'], two: 2, one: 'x' }), [
      'x',
      '2',
      '2',
      'a',
      'b',
      'c',
    ])
    t.strictSame(argumentsOf(header, { one: undefined, two: true, some: [], more: [] }), ['', '1', '0'])
    t.equal(argumentsOf(headerOf('-- args: flag\n'), { flag: false })[0], '')
  },
)

t.test('empty optional arguments at the end are not sent, and are the empty text', async (t) => {
  const lua = '-- args: one, some[], more?, most?\nreturn one\n'
  t.equal(
    withLocals(lua),
    [
      'local one = ARGV[1]',
      'local some_first, some_last = 2 + 1, 2 + tonumber(ARGV[2])',
      "local more, most = ARGV[some_last + 1 + 0] or '', ARGV[some_last + 1 + 1] or ''",
      'return one\n',
    ].join('\n'),
  )
  const send = (more?: string, most?: string) =>
    argumentsOf(headerOf(lua), { one: 1, some: ['a'], more, most })
  t.strictSame(send(), ['1', '1', 'a'])
  t.strictSame(send('b'), ['1', '1', 'a', 'b'])
  t.strictSame(send(undefined, 'c'), ['1', '1', 'a', '', 'c'])
})

t.test('a value after a list is refused', async (t) => {
  t.throws(() => headerOf('-- args: list[], value\n'), {
    message: 'not values, lists and optional values: list[],value',
  })
})
