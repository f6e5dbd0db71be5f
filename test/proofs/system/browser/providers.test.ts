// People with a browser sign in by another redmint on a host of its own, and link an account there: by keyboard, without
// scripts, on a phone.
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import type { GuardedFetch } from '../../../../src/outbound/guarded-fetch.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { callbackOf } from '../../../../src/providers/callback.ts'
import { INDEX_TIMING } from '../../../../src/service/index-keeper.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { CHEAP, PASSWORD, userRecord } from '../../../support/accounts.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { accessibilityFaults, DESKTOP, focus, NARROW } from '../../../support/browser.ts'
import { freePort } from '../../../support/process.ts'
import { createUser } from '../../../support/records.ts'
import { CLIENTS, startService } from '../../../support/service.ts'
import { startTlsFront } from '../../../support/tls-front.ts'
import { until } from '../../../support/until.ts'

const HOST = 'accounts.localhost'
const { messages } = en
const port = await freePort()
const issuer = `https://${HOST}:${port}`

const provider = await startService(t, { ...CHEAP, issuer, demo: false })
await provider.fastify.listen({ host: '127.0.0.1', port: 0 })
const behind = (provider.fastify.server.address() as AddressInfo).port
await startTlsFront(t, HOST, port, behind)

const provider_fetch: GuardedFetch = (url, init) =>
  fetch(url.replace(issuer, `http://127.0.0.1:${behind}`), init as RequestInit)
const stage = await setStage(t, { sign_in: 'providers', provider_fetch, index_timing: INDEX_TIMING })

await provider.storage.records.put({
  kind: CLIENT,
  id: 'redmint',
  hash: formatClient({
    ...CLIENTS.app,
    client_id: 'redmint',
    redirect_uris: [callbackOf(stage, 'acme')],
    allowed_scopes: ['openid', 'profile', 'email'],
    first_party: true,
  }),
})
for (const username of ['carol', 'alice'])
  await createUser(
    provider.storage,
    username,
    await userRecord(`there-${username}`, {
      name: `${username} elsewhere`,
      email: `${username}@example.org`,
      email_verified: 'true',
    }),
  )
const fields = { kind: 'oidc', name: 'Acme', issuer, client_id: 'redmint', creates_users: 'true' }
await stage.redis.cli('HSET', 'redmint:provider:acme', ...Object.entries(fields).flat())
await until('the record written by hand is in the list', async () =>
  (await stage.redis.cli('ZRANGE', 'redmint:names:provider', '0', '-1')).includes('acme'),
)

const field = async (username: string, name: string) =>
  (await stage.redis.cli('HGET', `redmint:user:${username}`, name)).trim()

for (const scripts of [true, false]) {
  t.test(`somebody comes by a provider: scripts ${scripts ? 'on' : 'off, on a phone'}`, async (t) => {
    const person = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts, is_trusting: true })
    const { page, complaints } = person
    await page.goto(stage.shop.url())
    await person.sees(messages.login_title)
    if (scripts) t.same(await accessibilityFaults(page), [], 'axe')
    else t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, 'it fits')
    const button = page.getByRole('button', { name: 'Sign in with Acme' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${issuer}/**`)
    await person.signIn('carol')
    // The second time the consent is remembered.
    if (scripts) await person.press('allow')
    await page.waitForURL(`${stage.shop.origin}/**`)
    const { claims } = await stage.shop.redeem()
    t.match(claims, { amr: ['fed'], sub: await field('carol@example.org', 'sub') })
    t.equal(await field('carol@example.org', 'linked_subjects'), linkOf(issuer, 'there-carol'))
    t.same(complaints, [])
  })
}

t.test('alice links her account there, signs in by it, and removes the link', async (t) => {
  const person = await stage.welcome({ ...DESKTOP, is_trusting: true })
  const { page } = person
  await page.goto(`${stage.issuer}/account/providers`)
  await person.signIn()
  await person.sees(messages.own_providers)
  t.same(await accessibilityFaults(page), [], 'axe')
  await page.getByRole('button', { name: 'Link Acme' }).click()
  await page.waitForURL(`${issuer}/**`)
  await person.signIn('alice')
  await person.sees(messages.own_title)
  await page.getByText(messages.own_done_linked).waitFor()
  t.equal(await field('alice', 'linked_subjects'), linkOf(issuer, 'there-alice'))

  const other = await stage.welcome({ ...DESKTOP, is_trusting: true })
  await other.page.goto(`${stage.issuer}/account`)
  await other.page.getByRole('button', { name: 'Sign in with Acme' }).click()
  await other.page.waitForURL(`${issuer}/**`)
  await other.signIn('alice')
  await other.sees(messages.own_title)

  await page.goto(`${stage.issuer}/account/providers`)
  const remove = page.getByRole('button', { name: 'Remove the link with Acme' })
  await remove.click()
  // What was confirmed before the link lets her add, and take nothing away.
  await page.fill('input[name=password]', PASSWORD)
  await page.click('button.main')
  await remove.click()
  await page.getByText(messages.own_done_unlinked).waitFor()
  t.equal(await field('alice', 'linked_subjects'), '')
})

t.test('where a domain has a provider, the name comes first', async (t) => {
  await stage.redis.cli('HSET', 'redmint:provider:acme', 'email_domains', 'example.org')
  for (const scripts of [true, false]) {
    const arrive = async () => {
      const person = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts, is_trusting: true })
      // Each of the two replicas learns it in its own time, and they take turns.
      await until('both ask for the name alone', async () => {
        for (const _ of [1, 2]) {
          await person.page.goto(stage.shop.url())
          if ((await person.page.locator('input[name=password]').count()) > 0) return false
        }
        return true
      })
      return person
    }
    const carol = await arrive()
    if (scripts) t.same(await accessibilityFaults(carol.page), [], 'axe')
    await focus(carol.page, 'input[name=username]')
    await carol.page.keyboard.type('carol@example.org')
    await carol.page.keyboard.press('Enter')
    await carol.page.waitForURL(`${issuer}/**`)
    t.equal(
      await carol.page.inputValue('input[name=username]'),
      'carol@example.org',
      'is not asked for again',
    )

    const alice = await arrive()
    await focus(alice.page, 'input[name=username]')
    await alice.page.keyboard.type('alice')
    await alice.page.keyboard.press('Enter')
    await alice.page.waitForSelector('input[name=password]')
    if (scripts) t.same(await accessibilityFaults(alice.page), [], 'axe')
    t.equal(await alice.page.inputValue('input[name=username]'), 'alice')
    await focus(alice.page, 'input[name=password]')
    await alice.page.keyboard.type(PASSWORD)
    await alice.page.keyboard.press('Enter')
    if (scripts) await alice.press('allow')
    await alice.page.waitForURL(`${stage.shop.origin}/**`)
    t.equal((await stage.shop.redeem()).claims.sub, await field('alice', 'sub'))
    t.same([...carol.complaints, ...alice.complaints], [])
  }
})
