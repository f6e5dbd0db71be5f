// What adds a way in, beside what ends ways in: one runs whole between two calls of the other, at each of them. Nothing that was
// added then lets somebody in after the end was answered.
import { createHash } from 'node:crypto'
import t from 'tap'
import { disableUser, endUser } from '../../../../src/admin/users/state.ts'
import { readConfig } from '../../../../src/config/config.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { type AccountNow, besideOf, readAccountNow } from '../../../../src/factors/account-now.ts'
import { FACTORS } from '../../../../src/factors/factors-record.ts'
import { addPasskey, creationOptions } from '../../../../src/factors/passkeys/create-passkey.ts'
import { renewOptions } from '../../../../src/factors/passkeys/renew-passkey.ts'
import { resetFactors } from '../../../../src/factors/reset-factors.ts'
import { beginTotp, confirmTotp, newRecoveryCodes } from '../../../../src/factors/totp.ts'
import { Sealer } from '../../../../src/keys/sealer.ts'
import type { MailRequest } from '../../../../src/mail/mailer.ts'
import { askForAddress, takeAddress } from '../../../../src/self-service/change-address.ts'
import { changePassword } from '../../../../src/self-service/change-password.ts'
import { deleteOwnAccount } from '../../../../src/self-service/delete-account.ts'
import { boundTo } from '../../../../src/self-service/link-passkey.ts'
import { giveNotMeLink, takeNotMe } from '../../../../src/self-service/not-me.ts'
import { giveResetLink, takeReset } from '../../../../src/self-service/reset-password.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { setLinks } from '../../../../src/users/links.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { appCode } from '../../../support/authenticator.ts'
import { linkIn } from '../../../support/link-in.ts'
import { observed } from '../../../support/observed.ts'
import { createUser } from '../../../support/records.ts'
import { SoftwarePasskey } from '../../../support/software-authenticator.ts'
import { PROOFS } from '../../../support/suite.ts'

const ISSUER = 'https://auth.example.com'
const NOW = 1_800_000_000_000
const ASKER = { address: '192.0.2.1', user: 'alice' }
const BROWSER = { digest: 'of-the-intruder', name: 'Firefox' }
const { settings } = readConfig({})
const SIMPLE = { ...settings, issuer: ISSUER, second_factor: 'off', account_deletion: 'on' } as const
const ONLY_PASSKEYS = { ...SIMPLE, passkeys: 'on', sign_in: ['passkey'] } as const

type Context = Awaited<ReturnType<typeof prepare>>['context']

/** A storage with alice, who has a password and an app, and what functions work with. */
async function prepare() {
  const memory = new MemoryStorage({ now: () => NOW })
  const sealer = new Sealer({ store: memory.sealing_keys, settings: {}, log: SILENT, now: () => NOW })
  await sealer.reload()
  const mails: MailRequest[] = []
  const context = {
    storage: memory as Storage,
    sealer,
    keys: { notBefore: 0 },
    log: SILENT,
    report: () => {},
    now: () => NOW,
    send: async (mail: MailRequest) => mails.push(mail) > 0,
    // What is hashed is of no matter here; that it takes a call is.
    passwords: {
      hash: async (password: string) => {
        await context.storage.records.read(USER, 'nobody')
        return `$argon2id$${createHash('sha256').update(password).digest('base64url')}`
      },
    },
    settings: SIMPLE as unknown as typeof settings,
    caller: { kind: 'command', id: '', scopes: new Set(['redmint:write']) },
    mails,
  }
  const fields = { sub: 'sub-of-alice', password_hash: '$argon2id$first' }
  await createUser(memory, 'alice', { ...fields, email: 'alice@example.org', email_verified: 'true' })
  const { begun, key } = await beginTotp(context, 'alice')
  await confirmTotp(context, 'alice', begun, appCode(key, NOW))
  return { context: context as never as typeof context & Record<string, never>, memory, sealer }
}

async function accountOf(context: Context): Promise<AccountNow> {
  const account = await readAccountNow(context, 'alice')
  if (account === undefined) throw new Error('no alice')
  return account
}

/** Prepares something, and returns what does it; it says whether it was done. */
type Act = (context: Context) => Promise<(context: Context) => Promise<boolean>>

const ADDERS: Readonly<Record<string, Act>> = {
  'a passkey': async (context) => {
    const account = await accountOf(context)
    const posted = new SoftwarePasskey(ISSUER).create(
      (await creationOptions(context, account.user, BROWSER)) ?? {},
    )
    return async (at) => (await addPasskey(at, account.user, posted, BROWSER, account)).outcome === 'added'
  },
  'another app': async (context) => {
    const account = await accountOf(context)
    const { begun, key } = await beginTotp(context, 'alice')
    return async (at) => (await confirmTotp(at, 'alice', begun, appCode(key, NOW), account)) === 'confirmed'
  },
  'recovery codes': async (context) => {
    const account = await accountOf(context)
    return async (at) => (await newRecoveryCodes(at, 'alice', account)) !== undefined
  },
  'a link with a provider': async (context) => {
    const account = await accountOf(context)
    const links = { links: ['https://idp.example#intruder'] }
    const event = { event: 'provider_linked', username: 'alice', provider: 'idp' } as const
    const beside = besideOf('alice', account.factors)
    return async (at) => (await setLinks(at, account, links, event, beside)) === 'ok'
  },
  'an address': async (context) => {
    await askForAddress(context, { username: 'alice' }, 'intruder@example.net', 'en')
    const link = linkIn(context.mails.at(-1)?.content.link)
    return async (at) => (await takeAddress(at, link)).page === 'done'
  },
  'a password': async (context) => {
    const account = await accountOf(context)
    return async (at) =>
      (await changePassword(at as never, account.user, 'a password of the intruder', ASKER, account)) ===
      'changed'
  },
  'a passkey in place of lost ones': async (context) => {
    const link = linkIn((await giveResetLink(context, 'alice'))?.url)
    const options = renewOptions(context, await accountOf(context), boundTo(link, BROWSER))
    const credential = new SoftwarePasskey(ISSUER).create(options)
    return async (at) => {
      const only = { ...at, settings: ONLY_PASSKEYS as unknown as typeof settings } as Context
      const { page } = await takeReset(only, link, { credential }, ASKER, BROWSER)
      return page !== 'over' && page !== 'choose'
    }
  },
}

/** `ends`: what it takes away of what was added before it. */
const ENDERS: Readonly<Record<string, { readonly act: Act; readonly ends?: (adder: string) => boolean }>> = {
  'this was not me': {
    act: async (context) => {
      const { user } = await accountOf(context)
      const disowned = { event: 'passkey_added', links: [] } as const
      const link = await giveNotMeLink(context, user, disowned)
      return async (at) => (await takeNotMe(at, link)).page === 'done'
    },
    ends: (adder) => adder !== 'an address',
  },
  'a new password by a link': {
    act: async (context) => {
      const link = linkIn((await giveResetLink(context, 'alice'))?.url)
      const answer = { password: 'a new password of alice' }
      return async (at) => (await takeReset(at, link, answer, ASKER, { digest: 'of alice' })).page === 'done'
    },
  },
  'another password': {
    act: async (context) => {
      const account = await accountOf(context)
      return async (at) =>
        (await changePassword(at as never, account.user, 'a new password of alice', ASKER, account)) ===
        'changed'
    },
  },
  "an operator's end of factors": {
    act: async () => async (at) => {
      await resetFactors(at, 'alice', ['totp', 'passkeys'])
      return true
    },
    ends: (adder) => /passkey|app|codes/.test(adder),
  },
  'an end of all that there is': {
    act: async () => async (at) => {
      await endUser(at as never, 'alice')
      return true
    },
  },
  'an operator who disables': {
    act: async () => async (at) => {
      await disableUser(at as never, 'alice')
      return true
    },
    ends: () => true,
  },
  'a deleted account': {
    act: async (context) => {
      const { user } = await accountOf(context)
      return (at) => deleteOwnAccount(at as never, user)
    },
    ends: () => true,
  },
}

/** All that lets somebody in as alice. */
async function waysIn(storage: Storage): Promise<readonly string[]> {
  const user = await storage.records.read(USER, 'alice')
  if (user === undefined || user.hash.disabled === 'true') return []
  const { password_hash = '', email = '', linked_subjects = '' } = user.hash
  const factors = await storage.records.read(FACTORS, 'alice')
  const { totp, recovery, passkeys } = factors?.ok ? factors.record : { passkeys: new Map() }
  // An app whose codes count no more lets nobody in.
  const app = totp !== undefined && totp.failures < 100 ? [totp.secret] : []
  return [password_hash, email, linked_subjects, ...app, ...(recovery?.digests ?? []), ...passkeys.keys()]
}

/** Runs one whole before the `at`-th call of another; false: the other has fewer calls. */
async function between(
  context: Context,
  storage: Storage,
  at: number,
  other: () => Promise<unknown>,
  one: (context: Context) => Promise<boolean>,
) {
  let calls = 0
  let has_run = false
  let has_written = false
  let written_before = false
  const watched = observed(storage, async (call, run) => {
    if (calls++ === at) {
      has_run = true
      written_before = has_written
      await other()
    }
    const answer = await run()
    if (call === 'change user' && answer === 'ok') has_written = true
    return answer
  })
  const outer = { ...context, storage: watched, passwords: context.passwords } as Context
  const is_done = await one(outer)
  return { has_run, written_before, is_done }
}

for (const [adder, add] of Object.entries(ADDERS)) {
  for (const [ender, { act, ends = () => false }] of Object.entries(ENDERS)) {
    if (!PROOFS && !(adder === 'a passkey' || ender === 'this was not me')) continue
    t.test(`${adder}, beside ${ender}`, async (t) => {
      let calls = 0
      for (let at = 0, is_over = false; !is_over; at += 1) {
        const { context, memory, sealer } = await prepare()
        const [adds, finishes] = [await add(context), await act(context)]
        const before = await waysIn(memory)
        let added: readonly string[] = []
        let kept: readonly string[] = []
        let is_ended = false
        const end = async () => {
          added = (await waysIn(memory)).filter((way) => !before.includes(way))
          is_ended = await finishes(context)
          kept = await waysIn(memory)
        }
        const { has_run } = await between(context, memory, at, end, adds)
        is_over = !has_run
        if (has_run && is_ended) {
          const more = (await waysIn(memory)).filter((way) => !kept.includes(way))
          t.strictSame(more, [], `nothing comes after the end before call ${at}`)
          const stayed = added.filter((way) => kept.includes(way))
          if (ends(adder)) t.strictSame(stayed, [], `what came before the end is gone, call ${at}`)
        }
        calls = at
        sealer.close()
      }
      t.ok(calls > 0, 'there were calls to come between')
    })

    t.test(`${ender}, beside ${adder}`, async (t) => {
      for (let at = 0, is_over = false; !is_over; at += 1) {
        const { context, memory, sealer } = await prepare()
        const [adds, finishes] = [await add(context), await act(context)]
        let added: readonly string[] = []
        const addNow = async () => {
          const before = await waysIn(memory)
          await adds(context)
          added = (await waysIn(memory)).filter((way) => !before.includes(way))
        }
        const { has_run, written_before, is_done } = await between(context, memory, at, addNow, finishes)
        is_over = !has_run
        if (has_run && is_done) {
          const now = await waysIn(memory)
          const stays = added.filter((way) => now.includes(way))
          if (written_before || ends(adder)) t.strictSame(stays, [], `before call ${at} of the end`)
        }
        sealer.close()
      }
      t.pass('each call had its turn')
    })
  }
}
