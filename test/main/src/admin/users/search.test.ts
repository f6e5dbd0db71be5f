import t from 'tap'
import { onEachStorage, operatorOn } from '../../../../support/operator.ts'

const PEOPLE = [
  { username: 'ada', claims: { name: 'Grace Hopper' } },
  { username: 'ann', claims: { name: 'Ada Lovelace', email: 'first.last@example.com' } },
  { username: 'bob', claims: { name: 'Bob Ádám' } },
  { username: 'cy', claims: { given_name: 'Cyril', family_name: 'Adamson', nickname: 'Ace' } },
]

onEachStorage(
  t,
  'people are found by name, the best first, in pages that repeat nobody',
  async (t, storage) => {
    const { run } = operatorOn(storage)
    for (const body of PEOPLE) await run('create_user', { body })
    const find = async (q: string, limit = 50) => {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const { body } = await run('list_users', {
          query: { q },
          limit,
          ...(cursor !== undefined && { cursor }),
        })
        const items = body.items as { username: string }[]
        t.ok(items.length <= limit)
        found.push(...items.map(({ username }) => username))
        cursor = body.next as string | undefined
      } while (cursor !== undefined)
      return found
    }
    for (const limit of [1, 2, 50])
      t.strictSame(
        await find('ada', limit),
        ['ada', 'ann', 'bob', 'cy'],
        'a username, a first name, other names',
      )
    t.strictSame(await find('adam'), ['bob', 'cy'])
    t.strictSame(await find('ADA lovelace'), ['ann'])
    t.strictSame(await find('first.last@example.com'), ['ann'])
    t.strictSame(await find('ace'), ['cy', 'ada', 'ann'], 'a nickname, before a part of Grace and Lovelace')
    const { sub } = (await run('read_user', { params: { username: 'bob' } })).body
    t.strictSame(await find(String(sub)), ['bob'])
    t.strictSame(await find('--'), [], 'a text without words is how usernames begin')
    await run('change_user', {
      params: { username: 'ann' },
      body: { claims: { name: 'Ada King' } },
      version: (await run('read_user', { params: { username: 'ann' } })).version,
    })
    t.strictSame([await find('king'), await find('lovelace')], [['ann'], []])
  },
)
