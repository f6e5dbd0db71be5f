// A page with oidc-client-ts signs users in and out, in Chromium, on two alternating replicas.
import t from 'tap'
import { setStage } from '../../../support/browser/stage.ts'
import { serveSpa } from '../../../support/flows/spa/server.ts'
import { CLIENTS } from '../../../support/service.ts'

const stage = await setStage(t)
const { issuer, shop } = stage
const registration = { ...CLIENTS.app, allowed_scopes: shop.registration.allowed_scopes }

t.test('sign-in, renewal and logout', async (t) => {
  const client_id = 'spa'
  const origin = await serveSpa(t, { authority: issuer, client_id })
  await stage.register({
    ...registration,
    client_id,
    client_name: 'The page',
    redirect_uris: [`${origin}/callback`],
    post_logout_redirect_uris: [`${origin}/bye`],
  })
  const person = await stage.welcome()
  const { page } = person
  const press = (name: string) => page.getByRole('button', { name }).click()
  const says = (text: string) => page.locator('output', { hasText: text }).waitFor()

  await page.goto(origin)
  await says('nobody')
  await press('Sign in')
  await person.sees('Sign in')
  await person.signIn()
  await person.sees('Allow The page to access your account?')
  await person.press('allow')
  await says('Alice Example <alice@example.com> what I was about to do')
  t.equal(new URL(page.url()).origin, origin)

  await press('Who am I?')
  await says('"sub":"sub-of-alice"')
  t.match(JSON.parse((await page.textContent('output')) ?? ''), {
    sub: 'sub-of-alice',
    name: 'Alice Example',
    email: 'alice@example.com',
    email_verified: true,
  })
  for (const round of ['once', 'twice']) {
    await press('Renew')
    await says('another token')
    await page.reload()
    await says('Alice Example')
    t.pass(`renewed ${round}`)
  }

  await press('Sign out')
  await says('nobody')
  t.equal(new URL(page.url()).pathname, '/bye')
  await page.goto(origin)
  await press('Sign in')
  await person.sees('Sign in')
  t.same(person.complaints, [])

  await person.signIn()
  // Its address is on loopback, where any program can be: the user is asked each time.
  await person.sees('Allow The page to access your account?')
  await person.press('allow')
  await says('Alice Example')
  const [one = 0, other = 0] = stage.served
  t.ok(Math.abs(one - other) <= 1, `${one} and ${other} requests`)
})

t.test('refused consent is an error for the client', async (t) => {
  const client_id = 'spa-refused'
  const origin = await serveSpa(t, { authority: issuer, client_id })
  await stage.register({ ...registration, client_id, redirect_uris: [`${origin}/callback`] })
  const person = await stage.welcome()
  await person.page.goto(origin)
  await person.page.getByRole('button', { name: 'Sign in' }).click()
  await person.sees('Sign in')
  await person.signIn()
  await person.press('deny')
  await person.page.locator('output', { hasText: 'The user did not agree' }).waitFor()
  t.same(person.complaints, [])
})
