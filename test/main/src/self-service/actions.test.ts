// What can be done at the account page, by the table that the routes are made from.
import t, { type Test } from 'tap'
import type { Context } from '../../../../src/context.ts'
import type { AccountNow } from '../../../../src/factors/account-now.ts'

import { creationOptions } from '../../../../src/factors/passkeys/create-passkey.ts'
import { beginTotp } from '../../../../src/factors/totp.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { createTheme } from '../../../../src/pages/theme.ts'
import type { ActionOutcome, PageActor } from '../../../../src/self-service/action.ts'
import { ACTIONS } from '../../../../src/self-service/actions.ts'
import type { Session } from '../../../../src/sessions/session.ts'

import type { User } from '../../../../src/users/user-record.ts'
import { appCode } from '../../../support/authenticator.ts'
import { BROWSER } from '../../../support/factors/passkeys/owners.ts'
import { changeUser, removeUser } from '../../../support/records.ts'
import { STEP } from '../../../support/scene/pages.ts'
import { scene } from '../../../support/scene.ts'
import { ISSUER, type TestOptions } from '../../../support/service.ts'
import { SoftwarePasskey } from '../../../support/software-authenticator.ts'

const NEW = 'seven wet umbrellas at noon'

const THEME = createTheme({ service_name: 'redmint', accent_color: '#0f766e' })

const actorOf = (user: User): PageActor => {
  const session = { sid: 'own', id: 'own' } as Session
  const asker = { address: '192.0.2.1', user: user.username }
  return { base: '/account', csrf: 'x', browser: BROWSER, asker, user, session, language: 'en' }
}

/** A service, and the person that alice is at the start. */
async function start(test: Test, options: TestOptions = {}, fields: Record<string, string> = {}) {
  const service = await scene(test, { account_deletion: 'on', ...options })
  const redmint = Object.assign(Object.create(service.redmint) as Context, { send: async () => true })
  await service.setFields('alice', fields)
  const user = await service.account()
  return {
    ...service,
    redmint,
    user,
    /** Does something as that person. */
    act: async (
      name: string,
      form: Record<string, string> = {},
      judged?: AccountNow,
    ): Promise<ActionOutcome> => {
      const action = ACTIONS[name]
      if (action === undefined) throw new Error(name)
      return action.run(redmint, { ...actorOf(user), account: judged ?? (await service.accountNow()) }, form)
    },
    hash: service.user,
  }
}

/** What was done; of a page, the alert, or the title. */
function said(outcome: ActionOutcome): string {
  if ('done' in outcome) return outcome.done
  if ('leave' in outcome) return outcome.leave
  const html = outcome.render({ theme: THEME, language: en })
  return /role="alert">([^<]*)</.exec(html)?.[1] ?? /<h1>([^<]*)</.exec(html)?.[1] ?? ''
}

t.test('a password by the rules, and no other, is taken', async (t) => {
  const { act, hash, user } = await start(t)
  const before = await hash()
  for (const password of ['', 'short', 'passwordpassword', 'alice@example.com'])
    t.match(said(await act('change-password', { password })), / /, `${password}: an alert says why`)
  t.strictSame(await hash(), before)
  t.equal(said(await act('change-password', { password: NEW })), 'password')
  t.not((await hash())?.password_hash, user.password_hash)
})

t.test('A11 who was first wins: what is based on the account of before changes nothing', async (t) => {
  const { act, hash, storage, accountNow } = await start(t)
  const before = await accountNow()
  await changeUser(storage, 'alice', { set: { password_hash: 'of somebody else' } })
  t.equal(said(await act('change-password', { password: NEW }, before)), 'stale')
  t.equal((await hash())?.password_hash, 'of somebody else')
  await changeUser(storage, 'alice', { set: { sub: 'another person of this name' } })
  t.equal(said(await act('delete-account', {}, before)), 'stale')
  t.ok(await hash(), 'and is not deleted')
  await removeUser(storage, 'alice')
  t.equal(said(await act('change-password', { password: NEW }, before)), 'stale')
  t.equal(said(await act('delete-account', {}, before)), 'stale')
  t.equal(await hash(), undefined, 'nor made')
})

t.test('A6 nobody deletes an account where that is off, or that of an administrator', async (t) => {
  const off = await start(t, { account_deletion: 'off' })
  t.equal(said(await off.act('delete-account')), 'stale')
  t.notMatch(await off.hash(), { disabled: 'true' })
  const admin = await start(t, {}, { admin: 'redmint:write' })
  t.equal(said(await admin.act('delete-account')), 'stale')
  t.notMatch(await admin.hash(), { disabled: 'true' })
  const on = await start(t)
  t.equal(said(await on.act('delete-account')), 'Your account has been deleted')
  t.equal(await on.hash(), undefined)
})

t.test('a passkey is added, renamed and removed, and what is not there is not', async (t) => {
  const { act, factors, redmint, user, accountNow } = await start(t)
  t.match(said(await act('add-passkey', { credential: '{}' })), /took too long, or did not work/)
  t.match(said(await act('add-passkey')), /took too long, or did not work/)
  const made = new SoftwarePasskey(ISSUER)
  const credential = made.create((await creationOptions(redmint, user, BROWSER)) ?? {})
  t.equal(said(await act('add-passkey', { credential })), 'passkey')
  t.ok((await factors()).passkeys.has(made.id))
  t.equal(said(await act('rename-passkey', { passkey: made.id, name: 'Blue' })), 'renamed')
  t.match(said(await act('rename-passkey', { passkey: made.id, name: ' ' })), / /, 'an alert says why')
  for (const passkey of ['', 'another']) {
    t.equal(said(await act('rename-passkey', { passkey, name: 'Red' })), 'stale')
    t.equal(said(await act('remove-passkey', { passkey })), 'stale')
  }
  t.match((await factors()).passkeys.get(made.id), { name: 'Blue' })
  const { password_hash: _, ...without } = user
  const actor = { ...actorOf(without), account: await accountNow() }
  const last = await ACTIONS['remove-passkey']?.run(redmint, actor, { passkey: made.id })
  t.match(last && said(last), /only way/i)
  t.ok((await factors()).passkeys.has(made.id))
  t.match(said(await act('remove-passkey', { passkey: made.id })), /removed/)
  t.notOk((await factors()).passkeys.has(made.id))
})

t.test('an app is set up by its own code, and what it needs is there', async (t) => {
  const { act, factors, redmint, pass } = await start(t)
  for (const name of ['new-codes', 'remove-totp']) t.equal(said(await act(name)), 'stale', `${name}: no app`)
  const { begun, key } = await beginTotp(redmint, 'alice')
  const of_bob = await beginTotp(redmint, 'bob')
  const code = () => appCode(key, redmint.now())
  t.match(said(await act('confirm-totp', { begun, code: 'x' })), en.messages.second_step_wrong)
  for (const form of [{ code: code() }, { begun: '', code: code() }, { begun: of_bob.begun, code: 'x' }])
    t.equal(said(await act('confirm-totp', form)), 'stale')
  t.equal((await factors()).totp, undefined)
  t.equal(said(await act('confirm-totp', { begun, code: code() })), 'Save your recovery codes')
  t.equal((await factors()).recovery?.digests.length, 10)
  pass(STEP)
  t.equal(said(await act('confirm-totp', { begun, code: code() })), 'stale', 'the account has changed')
  t.equal(said(await act('new-codes')), 'Save your recovery codes')
  t.equal(said(await act('remove-totp')), 'removed')
  t.equal((await factors()).totp, undefined)
})
