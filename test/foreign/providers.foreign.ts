// node-oidc-provider as the provider by which somebody signs in, in a real browser.
import { join } from 'node:path'
import t from 'tap'
import type { GuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import { en } from '../../src/pages/messages/en.ts'
import { callbackOf } from '../../src/providers/callback.ts'
import { INDEX_TIMING } from '../../src/service/index-keeper.ts'
import { linkOf } from '../../src/users/sign-in-names.ts'
import { setStage } from '../support/browser/stage.ts'
import { DESKTOP } from '../support/browser.ts'
import { freePort, run } from '../support/process.ts'
import { startTlsFront } from '../support/tls-front.ts'
import { until } from '../support/until.ts'
import { HERE } from './connected.ts'

const HOST = 'idp.localhost'
const [port, behind] = [await freePort(), await freePort()]
const issuer = `https://${HOST}:${port}`
await startTlsFront(t, HOST, port, behind)

const provider_fetch: GuardedFetch = (url, init) =>
  fetch(url.replace(issuer, `http://127.0.0.1:${behind}`), init as RequestInit)
const stage = await setStage(t, { sign_in: 'providers', provider_fetch, index_timing: INDEX_TIMING })
const environment = { ISSUER: issuer, PORT: String(behind), REDIRECT_URI: callbackOf(stage, 'acme') }
const provider = run(t, process.execPath, [join(HERE, 'hosts/provider/provider.mjs')], environment)
if (!(await provider.prints(/listens/))) throw new Error(provider.stderr)

const fields = { kind: 'oidc', name: 'Acme', issuer, client_id: 'redmint', creates_users: 'true' }
await stage.redis.cli('HSET', 'redmint:provider:acme', ...Object.entries(fields).flat())
await until('the record is in the list', async () =>
  (await stage.redis.cli('ZRANGE', 'redmint:names:provider', '0', '-1')).includes('acme'),
)

t.test('somebody comes by node-oidc-provider', async (t) => {
  const person = await stage.welcome({ ...DESKTOP, is_trusting: true })
  const { page } = person
  await page.goto(stage.shop.url())
  await person.sees(en.messages.login_title)
  await page.getByRole('button', { name: 'Sign in with Acme' }).click()
  await page.fill('input[name=login]', 'dora')
  await page.fill('input[name=password]', 'anything')
  await page.click('button[type=submit]')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${stage.issuer}/**`)
  await person.press('allow')
  await page.waitForURL(`${stage.shop.origin}/**`)
  const { claims } = await stage.shop.redeem()
  const field = async (name: string) =>
    (await stage.redis.cli('HGET', 'redmint:user:dora@example.org', name)).trim()
  t.match(claims, { amr: ['fed'], sub: await field('sub') })
  t.equal(await field('linked_subjects'), linkOf(issuer, 'dora'))
  t.equal(await field('name'), 'Dora')
})
