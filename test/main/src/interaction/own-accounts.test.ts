// Accounts of an application that embeds redmint.

import Fastify from 'fastify'
import t from 'tap'
import redmint from '../../../../app.ts'
import {
  type AccountSource,
  keepAccount,
  type OwnAccount,
  planAccount,
} from '../../../../src/interaction/own-accounts.ts'
import type { SignInMethod } from '../../../../src/interaction/sign-in-method.ts'
import { html } from '../../../../src/pages/html.ts'
import { indexUser, SIGN_IN_NAME } from '../../../../src/users/sign-in-names.ts'
import { readUser } from '../../../support/records.ts'

import { requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

/** Believes what is typed. */
const method: SignInMethod = {
  name: 'own',
  acr_values: ['1'],
  username: () => undefined,
  async authenticate({ findAccount }, { answer }) {
    const user = await findAccount(answer.who ?? '')
    return user === undefined
      ? { outcome: 'failed', reason: 'unknown_user' }
      : { outcome: 'ok', user, amr: ['pwd'], acr: '1' }
  },
  fields: () => html`<input name="who"><button>Sign in</button>`,
}

const signIn = async (visitor: Visitor, who: string) =>
  visitor.submit(await visitor.page(requestUrl({ client_id: 'own', prompt: 'login' })), { who })

t.test('the source is asked at each sign-in, and redmint keeps what it says', async (t) => {
  const accounts = new Map<string, OwnAccount>([
    ['7', { sub: '7', username: 'ann', claims: { name: 'Ann', groups: ['a'] } }],
  ])
  const account_source: AccountSource = { find: async (sub) => accounts.get(sub) }
  const { visitor, claims, storage, log, setFields } = await scene(t, { methods: [method], account_source })
  const browser = visitor()
  t.match(await claims(await signIn(browser, '7')), { sub: '7', amr: ['pwd'] })
  t.match(await readUser(storage, 'ann'), { name: 'Ann', 'claim:groups': '["a"]' })
  accounts.set('7', { sub: 'another', username: 'other', claims: { name: 'Ann B', groups: null } })
  t.match(await claims(await signIn(browser, '7')), { sub: '7' }, 'the sub that was asked for')
  const record = await readUser(storage, 'ann')
  t.match(record, { name: 'Ann B' })
  t.notOk(record?.['claim:groups'])
  const has_failed = async (who: string) => /role="alert"/.test(asPage(await signIn(visitor(), who)).text)
  accounts.set('7', { sub: '7', claims: { email: 'ann@example.org', email_verified: true } })
  await signIn(browser, '7')
  t.same(
    (await storage.records.read(SIGN_IN_NAME, 'ann@example.org'))?.hash,
    { ann: '1' },
    'the index follows',
  )
  accounts.delete('7')
  t.ok(await has_failed('7'), 'who is gone there')
  accounts.set('8', { sub: '8', username: 'bob' })
  t.ok(await has_failed('8'), 'who has the name of somebody else')
  t.match(log.join(''), /cannot be kept/)
  accounts.set('7', { sub: '7' })
  await setFields('ann', { disabled: 'true' })
  t.ok(await has_failed('7'), 'who is disabled here')
})

t.test('without a source the records of redmint are all', async (t) => {
  const { visitor, claims, storage } = await scene(t, { methods: [method] })
  await indexUser(storage, 'alice')
  t.match(await claims(await signIn(visitor(), 'sub-of-alice')), { sub: 'sub-of-alice' })
  t.match(asPage(await signIn(visitor(), 'nobody')).text, /role="alert"/)
})

t.test('a plan says that somebody else has the name', async (t) => {
  const { redmint } = await scene(t)
  t.strictSame(await planAccount(redmint, { sub: '9', username: 'alice' }), { problem: 'name_taken' })
})

t.test('two sign-ins at once make one record', async (t) => {
  const { redmint, storage } = await scene(t)
  const account = { sub: '9', claims: { name: 'N' } }
  const kept = await Promise.all([keepAccount(redmint, account), keepAccount(redmint, account)])
  t.same(kept.map((one) => ('user' in one ? 'kept' : one.problem)).sort(), ['busy', 'kept'])
  t.match(await readUser(storage, '9'), { sub: '9' })
})

t.test('the option is an object with find', async (t) => {
  for (const account_source of [{}, { find: 'x' }, null]) {
    const options = { issuer: ISSUER, account_source } as never
    await t.rejects(async () => Fastify().register(redmint, options), { message: /account_source/ })
  }
})
