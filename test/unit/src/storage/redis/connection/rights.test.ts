// The rights that redmint doctor looks for open each key that docs/keyspace.md names, and are those of its command.
import t from 'tap'
import { requiredRights } from '../../../../../../src/storage/redis/connection/rights.ts'
import { RedisKeys } from '../../../../../../src/storage/redis/keys.ts'
import { blocks, codeIn, readText, section, tableRows } from '../../../../../support/markdown.ts'

const PREFIX = 'redmint:'
const PAGE = await readText('docs/keyspace.md')
const [KEYS = ''] = section(PAGE, 'Keys').split('\n### ')
const RIGHTS = requiredRights(`${PREFIX}probe:one`, new RedisKeys(PREFIX), {
  cluster: true,
  waits: true,
}).map(([right]) => right)

t.test('each key that the page names is open by one of the rights', async (t) => {
  const opened = RIGHTS.filter((right) => right.startsWith('~')).map((right) => right.slice(1, -1))
  const named = tableRows(KEYS).flatMap(([keys = '']) => codeIn(keys))
  t.ok(named.length > 70, `${named.length} keys`)
  t.same(
    named.filter((name) => !opened.some((begin) => (PREFIX + name).startsWith(begin))),
    [],
  )
})

t.test('the command of the page gives the rights of commands, and no other', async (t) => {
  const [line = ''] = blocks(section(PAGE, 'Who may write'), 'sh')
  const given = [...line.matchAll(/ '?(\+[a-z|]+)/g)].map(([, right = '']) => right)
  const wanted = RIGHTS.filter((right) => right.startsWith('+'))
  t.same([...given].sort(), [...wanted].sort())
})
