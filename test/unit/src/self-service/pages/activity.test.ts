import t from 'tap'
import { type ShownActivity, toldActivities } from '../../../../../src/self-service/pages/activity.ts'

const HERE = { browser: 'Firefox on Linux', address: '192.0.2.7' }
const MINUTE = 60_000

t.test('what is one thing for a person is one line', async (t) => {
  const made = (event: 'user_added' | 'user_joined', at: number): ShownActivity => ({ event, at, ...HERE })
  t.match(toldActivities([made('user_joined', 1001), made('user_added', 1000)]), [{ event: 'user_joined' }])
  const joined = [made('user_joined', 1002), { event: 'passkey_added', at: 1001, ...HERE } as const]
  t.strictSame(
    toldActivities([...joined, made('user_added', 1000)]).map(({ event }) => event),
    ['user_joined', 'passkey_added'],
    'an account with its first way in is made once',
  )
  const invited = { ...made('user_joined', 1001), inviter: 'Ada' }
  for (const lines of [
    [invited, made('user_added', 1000)],
    [made('user_added', 1001), invited],
  ])
    t.match(toldActivities(lines), [{ inviter: 'Ada' }], 'who invited is said in whatever order')
  const ended = (at: number): ShownActivity => ({ event: 'sessions_ended', at })
  t.equal(toldActivities([ended(3 * MINUTE), ended(0)]).length, 2, 'at another time it is another one')
  const by_operator = [
    { event: 'user_changed', at: 1, by_operator: true } as const,
    { event: 'user_changed', at: 1 } as const,
  ]
  t.equal(toldActivities(by_operator).length, 2, 'nor is what somebody else did')
})

t.test('sign-ins that failed at one place are one line, which says that they were several', async (t) => {
  const failed = (at: number, more = {}): ShownActivity => ({ event: 'sign_in_failed', at, ...HERE, ...more })
  t.strictSame(toldActivities([failed(90 * MINUTE), failed(45 * MINUTE), failed(0)]), [
    { ...failed(90 * MINUTE), is_repeated: true },
  ])
  t.strictSame(toldActivities([failed(0)]), [failed(0)])
  t.equal(toldActivities([failed(2), failed(1, { address: '192.0.2.8' })]).length, 2, 'another place')
  const signed_in: ShownActivity = { event: 'sign_in_succeeded', at: 1, ...HERE }
  t.equal(toldActivities([failed(2), signed_in, failed(0)]).length, 3, 'something was between them')
})
