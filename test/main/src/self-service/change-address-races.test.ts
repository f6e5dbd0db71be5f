// What happens at the last moment, while a link to another address is being used. Each check of takeAddress alone must hold.
import type { Test } from 'tap'
import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { SILENT } from '../../../../src/core/log.ts'
import type { MailRequest } from '../../../../src/mail/mailer.ts'
import {
  type AddressContext,
  askForAddress,
  takeAddress,
} from '../../../../src/self-service/change-address.ts'
import { isAddressSettled } from '../../../../src/self-service/not-me.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { findAccount } from '../../../../src/users/find-account.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { instead } from '../../../support/instead.ts'
import { linkIn } from '../../../support/link-in.ts'
import { onEachStorage } from '../../../support/operator.ts'
import { changeUser, createUser, readUser } from '../../../support/records.ts'
import { addressFor } from '../../../support/scene.ts'

const NEW = 'new@example.net'
const { settings } = readConfig({})

/** What happens meanwhile: before the link is used up, or before the account is written. */
interface Meanwhile {
  readonly take?: (context: AddressContext) => Promise<unknown>
  readonly write?: (context: AddressContext) => Promise<unknown>
}

/** Alice has asked for another address, and has its link. */
async function prepare(storage: Storage) {
  for (const username of ['alice', 'bob']) {
    const fields = { sub: `sub-of-${username}`, email: addressFor(username), email_verified: 'true' }
    await createUser(storage, username, fields)
    await indexUser(storage, username)
  }
  const events: SecurityEvent[] = []
  const mails: MailRequest[] = []
  const context: AddressContext = {
    storage,
    settings,
    now: Date.now,
    report: (event) => void events.push(event),
    send: async (mail) => mails.push(mail) > 0,
  }
  await askForAddress(context, { username: 'alice' }, NEW, 'en')
  const link = linkIn(mails.at(-1)?.content.link)
  const clear = () => {
    events.length = 0
    mails.length = 0
  }
  clear()
  /** Uses the link, while something else happens. */
  const use = async ({ take, write }: Meanwhile): Promise<string> => {
    const { evidence, records } = storage
    const slow: Storage = Object.assign(Object.create(storage), {
      evidence: instead(evidence, {
        take: async (...args: Parameters<typeof evidence.take>) => {
          await take?.(context)
          if (take) clear()
          return evidence.take(...args)
        },
      }),
      records: instead(records, {
        change: async (...args: Parameters<typeof records.change>) => {
          await write?.(context)
          return records.change(...args)
        },
      }),
    })
    return (await takeAddress({ ...context, storage: slow }, link)).page
  }
  const emails = async () => (await readUser(storage, 'alice'))?.email
  return { context, link, events, mails, use, emails }
}

/** Holds that nothing has come of a link. */
async function isWithoutTrace(t: Test, { context, events, mails, emails }: Prepared): Promise<void> {
  t.equal(await emails(), addressFor('alice'))
  t.same([events, mails], [[], []], 'nobody is told of a change that there was not')
  t.notOk(await isAddressSettled(context, 'alice'), 'and no link undoes it')
}
type Prepared = Awaited<ReturnType<typeof prepare>>

onEachStorage(t, 'a newer link while this one is used', async (t, storage) => {
  const prepared = await prepare(storage)
  const page = await prepared.use({
    take: (context) => askForAddress(context, { username: 'alice' }, 'newer@example.net', 'en'),
  })
  t.equal(page, 'over')
  await isWithoutTrace(t, prepared)
})

for (const [what, set] of [
  ['disabled', { disabled: 'true' }],
  ['changed', { password_hash: '$argon2id$other' }],
  [
    'written by an operator, the address in capitals,',
    { nickname: 'al', email: addressFor('alice').toUpperCase() },
  ],
] as const) {
  onEachStorage(t, `the account is ${what} after the link is used up`, async (t, storage) => {
    const prepared = await prepare(storage)
    const write = () => changeUser(storage, 'alice', { set, unset: [] })
    t.equal(await prepared.use({ write }), 'over')
    t.equal((await prepared.emails())?.toLowerCase(), addressFor('alice'))
    t.same([prepared.events, prepared.mails], [[], []], 'nobody is told of a change that there was not')
    t.notOk(await isAddressSettled(prepared.context, 'alice'), 'and no link undoes it')
  })
}

onEachStorage(t, 'two tabs at once make one change', async (t, storage) => {
  const { context, link, events, mails, emails } = await prepare(storage)
  const pages = await Promise.all([1, 2].map(() => takeAddress(context, link)))
  t.same(pages.map(({ page }) => page).sort(), ['done', 'over'])
  t.equal(await emails(), NEW)
  t.match(events, [{ event: 'address_changed', username: 'alice' }])
  t.equal(events.length, 1)
  t.match(mails, [{ to: { text: addressFor('alice') } }])
  t.equal(mails.length, 1, 'the address before is told once')
})

onEachStorage(
  t,
  'somebody else gets the address while the link is used up: it stays theirs',
  async (t, storage) => {
    const prepared = await prepare(storage)
    const take = async () => {
      await changeUser(storage, 'bob', { set: { email: NEW }, unset: [] })
      await indexUser(storage, 'bob')
    }
    t.equal(await prepared.use({ take }), 'over')
    await isWithoutTrace(t, prepared)
  },
)

onEachStorage(
  t,
  'somebody else gets the address at the last moment: it is the name of nobody',
  async (t, storage) => {
    const { use } = await prepare(storage)
    const write = async () => {
      await changeUser(storage, 'bob', { set: { email: NEW }, unset: [] })
      await indexUser(storage, 'bob')
    }
    t.equal(await use({ write }), 'done')
    const accounts = { storage, log: SILENT, settings }
    t.equal((await findAccount(accounts, NEW)).user, undefined, 'nobody signs in as the other one')
    for (const name of ['alice', 'bob']) t.equal((await findAccount(accounts, name)).user?.username, name)
  },
)
