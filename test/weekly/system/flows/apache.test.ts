// Apache with mod_auth_openidc signs users in and out, in Chromium, on two alternating replicas.
import t from 'tap'
import type { SettingsFile } from '../../../../src/admin/connect/preset.ts'
import type { ClientDefinition } from '../../../../src/clients/record/client-record.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { RedisKeys } from '../../../../src/storage/redis/keys.ts'
import { openRedis } from '../../../../src/storage/redis/storage.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { prepareApache } from '../../../support/flows/apache.ts'
import { CLIENTS, SECRET } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const stage = await setStage(t)
const { issuer, shop } = stage

for (const pkce of [true, false]) {
  t.test(`sign-in and logout, ${pkce ? 'with' : 'without'} PKCE`, async (t) => {
    const username = pkce ? 'anna' : 'otto'
    await stage.addUser(username, { name: 'Somebody', email: `${username}@example.com` })
    const apache = await prepareApache(t)
    const client_id = `apache-${username}`
    const client: ClientDefinition = {
      ...CLIENTS.web,
      client_id,
      client_name: 'The intranet',
      redirect_uris: [apache.redirect_uri],
      allowed_scopes: ['openid', 'profile', 'email'],
      post_logout_redirect_uris: [apache.goodbye],
      backchannel_logout_uri: apache.backchannel_logout_uri,
      require_pkce: pkce,
    }
    await stage.register(client)
    await apache.start({ issuer, client_id, client_secret: SECRET, pkce })
    const person = await stage.welcome()
    const { page } = person
    const enter = async () => {
      await page.goto(apache.address)
      await person.sees('Sign in')
      await person.signIn(username)
    }

    await enter()
    await person.sees('Allow The intranet to access your account?')
    await person.press('allow')
    await person.sees(`Hello ${username}`)
    t.equal(await page.textContent('#name'), 'Somebody\n')
    t.equal(await page.textContent('#email'), `${username}@example.com\n`)
    t.equal(page.url(), apache.address)

    // Its own logout, back to one of its pages.
    await page.goto(apache.logout)
    await page.waitForURL(apache.goodbye)
    t.equal(await page.title(), 'Goodbye')
    await enter()
    await person.sees(`Hello ${username}`)

    // A logout elsewhere, which Apache learns by back-channel logout.
    await page.goto(`${issuer}/oauth2/logout`)
    await person.press('logout')
    await person.sees('You are signed out')
    await until('Apache has heard of it', async () => {
      await page.goto(apache.address)
      return page.url().startsWith(issuer)
    })
    await person.sees('Sign in')

    // Single sign-on from the shop.
    await page.goto(shop.url())
    await person.signIn(username)
    await person.sees('Allow The shop to access your account?')
    await page.goto(apache.address)
    await person.sees(`Hello ${username}`)
    t.same(person.complaints, [])
  })
}

t.test(
  'the settings that `client add --for apache` prints sign a user in, and out when disabled',
  async (t) => {
    const apache = await prepareApache(t)
    const storage = openRedis({ kind: 'single', url: stage.redis.url }, new RedisKeys('redmint:'), SILENT)
    t.teardown(storage.close.bind(storage))
    const { redmint } = createCli({ storage, environment: { REDIS_URL: stage.redis.url, ISSUER: issuer } })
    const origin = new URL(apache.address).origin
    const add = ['client', 'add', 'site', '--for', 'apache', '--origin', origin, '--json']
    const { settings } = parsed<{ settings: SettingsFile[] }>(await redmint(add))
    await apache.start(settings.map(({ text }) => text).join('\n'))
    const person = await stage.welcome()
    await person.page.goto(apache.address)
    await person.sees('Sign in')
    await person.signIn()
    await person.press('allow')
    await person.sees('Hello alice')
    t.equal(await person.page.textContent('#email'), 'alice@example.com\n')
    await redmint(['user', 'disable', 'alice'])
    await until('Apache has heard of it', async () => {
      await person.page.goto(apache.address)
      return person.page.url().startsWith(issuer)
    })
    await redmint(['user', 'enable', 'alice'])
  },
)

t.test('refused consent is an error for the client', async (t) => {
  const apache = await prepareApache(t)
  const redirect_uris = [apache.redirect_uri]
  await stage.register({
    ...CLIENTS.web,
    client_id: 'refused',
    redirect_uris,
    allowed_scopes: ['openid', 'profile', 'email'],
  })
  await apache.start({ issuer, client_id: 'refused', client_secret: SECRET, pkce: true })
  const person = await stage.welcome()
  await person.page.goto(apache.address)
  await person.signIn()
  await person.press('deny')
  // The page is Apache's own. This version mistakes the `iss` of an error (RFC 9207) for the start of a sign-in.
  await person.page.waitForURL(`${apache.redirect_uri}?error=access_denied**`)
  t.match(await person.page.textContent('body'), 'Error')
  await person.page.goto(apache.address)
  await person.sees('Allow Web application to access your account?')
})
