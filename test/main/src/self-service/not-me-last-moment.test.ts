// "This was not me" by itself: which links with other accounts it takes, and what can happen while it is pressed.
import t from 'tap'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { readAccountNow } from '../../../../src/factors/account-now.ts'
import {
  type Disowned,
  giveNotMeLink,
  type NotMeContext,
  takeNotMe,
} from '../../../../src/self-service/not-me.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { instead } from '../../../support/instead.ts'
import { changeUser, createUser, readUser } from '../../../support/records.ts'

const OWN = 'https://old.example#1'
const THEIRS = 'https://accounts.example.org#2'
const FIELDS = { password_hash: '$argon2id$x', email: 'a@example.org', email_verified: 'true' }

/** Alice, and the link of a notice about a change. */
async function start(disowned: Partial<Disowned> = {}, fields: Record<string, string> = FIELDS) {
  const storage = new MemoryStorage()
  await createUser(storage, 'alice', { sub: 'sub-of-alice', ...fields })
  const alice = await readAccountNow({ storage }, 'alice')
  if (alice === undefined) throw new Error('no alice')
  const events: SecurityEvent[] = []
  const context: NotMeContext = { storage, now: Date.now, report: (event) => void events.push(event) }
  const link = await giveNotMeLink(context, alice.user, { event: 'password_changed', ...disowned })
  /** Presses it, while something else happens before the first write of a record. */
  const pressWhile = async (happens: () => Promise<unknown>) => {
    let has_happened = false
    const { records } = storage
    const slow: Storage = Object.assign(Object.create(storage), {
      records: instead(records, {
        change: async (...args: Parameters<typeof records.change>) => {
          if (!has_happened) await happens()
          has_happened = true
          return records.change(...args)
        },
      }),
    })
    return (await takeNotMe({ ...context, storage: slow }, link)).page
  }
  return {
    ...{ storage, context, events, link, pressWhile },
    press: async () => (await takeNotMe(context, link)).page,
    user: async () => (await readUser(storage, 'alice')) ?? {},
  }
}

t.test('an account elsewhere that was linked since is unlinked, one from before stays', async (t) => {
  for (const [links, stay] of [
    [[OWN], OWN],
    [[], undefined],
    [undefined, `${OWN} ${THEIRS}`],
  ] as const) {
    const fields = { ...FIELDS, linked_subjects: `${OWN} ${THEIRS}` }
    const { press, user, events } = await start({ event: 'provider_linked', ...(links && { links }) }, fields)
    t.equal(await press(), 'done')
    t.equal((await user()).linked_subjects, stay)
    const removed = ['password', ...(links ? ['links'] : [])]
    t.strictSame(events, [
      { event: 'change_disowned', username: 'alice', change: 'provider_linked', removed },
    ])
  }
})

t.test('what the account did not have is not said to be taken away', async (t) => {
  const { press, events } = await start({ links: [] }, { email: FIELDS.email })
  t.equal(await press(), 'done')
  t.strictSame(events, [
    { event: 'change_disowned', username: 'alice', change: 'password_changed', removed: [] },
  ])
})

t.test('it counts once, also in two tabs at once, and a link that is over changes nothing', async (t) => {
  const { press, events, storage, user } = await start()
  const pages = await Promise.all([press(), press()])
  t.same(pages.sort(), ['done', 'over'])
  t.equal(events.length, 1, 'one event')
  await changeUser(storage, 'alice', { set: FIELDS, unset: [] })
  const owned = await user()
  t.equal(await press(), 'over')
  t.strictSame(await user(), owned, 'the new password of the owner stays')
  t.equal(events.length, 1)
})

t.test('what an operator writes at the last moment stays, and the password ends all the same', async (t) => {
  const { storage, pressWhile, user } = await start({ from: 'old@example.org', to: FIELDS.email })
  const set = { email: 'op@example.org' }
  t.equal(await pressWhile(() => changeUser(storage, 'alice', { set, unset: [] })), 'done')
  t.match(await user(), { ...set, password_hash: undefined })
})

t.test(
  'somebody else who gets the name at the last moment, or a disabled account, is let alone',
  async (t) => {
    for (const set of [{ sub: 'another' }, { disabled: 'true' }]) {
      const { storage, pressWhile, user, events } = await start()
      t.equal(await pressWhile(() => changeUser(storage, 'alice', { set, unset: [] })), 'over')
      t.match(await user(), { ...set, password_hash: FIELDS.password_hash })
      t.same(events, [])
    }
  },
)

t.test('its entry is of the same step as the ending', async (t) => {
  const { storage, context, link, user } = await start()
  const { records, evidence } = storage
  const [nothing, told, in_change] = [{ entries: [], ttl: 0 }, [] as string[], [] as boolean[]]
  const interrupted: Storage = Object.assign(Object.create(storage), {
    records: instead(records, {
      change: async (...args: Parameters<typeof records.change>) => {
        in_change.push(args[2].told === nothing)
        return records.change(...args)
      },
    }),
    evidence: instead(evidence, { take: () => Promise.reject(new Error('interrupted')) }),
  })
  const entriesOf = (events: readonly SecurityEvent[]) => {
    told.push(...events.map(({ event }) => event))
    return nothing
  }
  const report = Object.assign(() => {}, { entriesOf })
  await t.rejects(takeNotMe({ ...context, report, storage: interrupted }, link), /interrupted/)
  t.strictSame(told, ['change_disowned'])
  t.equal(in_change[0], true)
  t.equal((await user()).password_hash, undefined)
})
