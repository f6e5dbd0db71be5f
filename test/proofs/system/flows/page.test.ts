// A page on another origin does everything by oauth4webapi, unpatched, in Chromium, on two alternating replicas: it
// registers itself, signs its user in, refreshes and revokes. What it may read is what CORS allows.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { setStage } from '../../../support/browser/stage.ts'
import { servePage } from '../../../support/serve-page.ts'

const stage = await setStage(t, { client_registration: 'open', client_registrations_per_address: 2 })
const file = (name: string) =>
  readFile(fileURLToPath(new URL(`../../../support/flows/page/${name}`, import.meta.url)), 'utf8')
const scripts = {
  '/app.js': `const issuer = ${JSON.stringify(stage.issuer)}\n${await file('app.js')}`,
  '/oauth4webapi.js': await readFile(fileURLToPath(import.meta.resolve('oauth4webapi')), 'utf8'),
}

t.test('a page registers, signs in, asks, refreshes, revokes and removes itself', async (t) => {
  const origin = await servePage(t, await file('index.html'), scripts)
  const person = await stage.welcome()
  const { page } = person
  const output = page.locator('output')
  const says = (text: string) => output.filter({ hasText: text }).waitFor()
  const press = async (name: string) => {
    await page.evaluate('document.querySelector("output").textContent = ""')
    await page.click(`#${name}`)
    await output.filter({ hasText: /./ }).waitFor()
    return (await output.textContent()) ?? ''
  }
  await page.goto(origin)
  await says('ready')
  t.equal(await press('register'), 'registered')
  t.equal(await press('rename'), 'The better page')
  await page.click('#sign-in')
  await person.sees('Sign in')
  await person.signIn()
  await person.sees('Allow The better page to access your account?')
  await person.press('allow')
  await says('signed in: sub-of-alice')
  t.equal(page.url(), `${origin}/`)
  t.match(JSON.parse(await press('ask')), { sub: 'sub-of-alice', name: 'Alice Example' })
  t.equal(await press('refresh'), 'another token')
  t.match(JSON.parse(await press('ask')), { email: 'alice@example.com' })
  t.same(person.complaints, [])

  t.equal(await press('revoke'), 'revoked')
  t.match(
    JSON.parse(await press('ask')),
    { status: 401, challenge: 'invalid_token' },
    'it reads the challenge',
  )
  t.match(JSON.parse(await press('refresh')), { failed: 'invalid_grant', status: 400 })
  t.equal(await press('remove'), 'removed: 204')
  t.equal(await press('register'), 'registered')
  const { status, failed, retry_after } = JSON.parse(await press('register'))
  t.match({ status, failed }, { status: 429, failed: 'temporarily_unavailable' })
  t.match(retry_after, /^[1-9]\d*$/, 'it reads when to come again')
})
