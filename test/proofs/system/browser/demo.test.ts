// A person tries the service in its first minute: from `/` through the demo and back, as the server sends it.
import t from 'tap'
import { DESKTOP, NARROW, startBrowser } from '../../../support/browser.ts'
import { readQrCode } from '../../../support/read-qr-code.ts'
import { startReady } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

const browser = await startBrowser(t)
/** The demonstration, and the same with the other format. */
const [opaque, jwt] = await Promise.all([startReady(t), startReady(t, { ACCESS_TOKEN_FORMAT: 'jwt' })])

for (const access_token_format of ['opaque', 'jwt'])
  for (const scripts of access_token_format === 'opaque' ? [true, false] : [true]) {
    const how = `${access_token_format} access tokens, scripts ${scripts ? 'on' : 'off'}`

    t.test(`the demo signs in, calls the API, refreshes and signs out: ${how}`, async (t) => {
      const { port } = access_token_format === 'jwt' ? jwt : opaque
      const { page, complaints } = await browser.welcome({ ...(scripts ? DESKTOP : NARROW), scripts })
      const sees = (heading: string) =>
        page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      const tokenOf = async (name: string) =>
        page.locator(`section[aria-labelledby="${name}"] pre`).last().textContent()
      const press = (action: string) => page.click(`button[value="${action}"]`)

      await page.goto(`http://localhost:${port}/`)
      await page.click('text=Try a sign-in')
      await page.click('a.main')
      await sees('Sign in')
      await page.fill('input[name=username]', 'alice')
      await page.fill('input[name=password]', 'wonderland')
      await page.click('button.main')
      await sees('Allow Demo page to access your account?')
      await page.click('button[value=allow]')
      await sees('These are your tokens')
      t.match(await page.locator('section[aria-labelledby="id_token"]').textContent(), /"sub": "alice"/)
      const decoded = await page.locator('section[aria-labelledby="access_token"] pre').count()
      t.equal(decoded, access_token_format === 'jwt' ? 3 : 1, 'a JWT is decoded')

      await press('api')
      t.match(await page.locator('[role=status]').textContent(), /200[\s\S]*"subject": "alice"/)
      await press('userinfo')
      t.match(await page.locator('[role=status]').textContent(), /200[\s\S]*"email": "alice@example.com"/)
      const before = await tokenOf('refresh_token')
      await press('refresh')
      await sees('These are your tokens')
      t.not(await tokenOf('refresh_token'), before, 'a new refresh token')

      await press('sign-out')
      await sees('Try a sign-in')
      await page.goto(`http://localhost:${port}/demo`)
      await sees('Try a sign-in')
      t.same(complaints, [])
    })
  }

for (const scripts of [true, false]) {
  t.test(`the demo device is connected from another window: scripts ${scripts ? 'on' : 'off'}`, async (t) => {
    const { port } = opaque
    const { page, context, complaints } = await browser.welcome({
      ...(scripts ? DESKTOP : NARROW),
      dark: !scripts,
      scripts,
    })
    const sees = (heading: string, where = page) =>
      where.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()

    await page.goto(`http://localhost:${port}/`)
    await page.click('text=Try a device')
    await sees('Sign in on a device without a browser')
    await page.click('button[value=start]')
    await sees('Your code')
    await page.click('button[value=check]')
    t.match(await page.locator('[role=status]').textContent(), /400[\s\S]*authorization_pending/)

    const [phone] = await Promise.all([context.waitForEvent('page'), page.click('text=Open in a new window')])
    await sees('Sign in', phone)
    await phone.fill('input[name=username]', 'alice')
    await phone.fill('input[name=password]', 'wonderland')
    await phone.click('button.main')
    await sees('Connect Demo device?', phone)
    t.match(await phone.textContent('main'), (await page.textContent('.shown code')) ?? 'a code')
    await phone.click('button[value=allow]')
    await sees('The device is connected', phone)

    // The page asks again by itself, too, which may take the button away under the pointer.
    const done = page.getByRole('heading', { level: 1, name: 'These are your tokens', exact: true })
    await until('the device has its tokens', async () => {
      if (await done.isVisible()) return true
      await page.click('button[value=check]', { timeout: 2000 }).catch(() => {})
      return false
    })
    t.match(await page.locator('section[aria-labelledby="id_token"]').textContent(), /"aud": "demo-device"/)
    await page.click('button[value=api]')
    t.match(await page.locator('[role=status]').textContent(), /200[\s\S]*"subject": "alice"/)
    await page.click('button[value=again]')
    await sees('Sign in on a device without a browser')
    t.same(complaints, [])
  })
}

t.test('a reader finds the address with the user code in the QR code, in every theme', async (t) => {
  const { port } = opaque
  for (const screen of [DESKTOP, { ...DESKTOP, dark: true }, NARROW, { ...NARROW, dark: true }]) {
    const where = `${screen.width} pixels wide${'dark' in screen ? ', dark' : ''}`
    const { page, context } = await browser.welcome(screen)
    await page.goto(`http://localhost:${port}/demo/device`)
    t.equal(await page.locator('svg.qr').count(), 0, `${where}: there is none yet`)
    await page.click('button[value=start]')
    const read = await readQrCode(page)
    const user_code = await page.textContent('.shown code')
    t.equal(read, `http://localhost:${port}/device?user_code=${user_code}`, where)
    t.equal(read, await page.getAttribute('a[target=_blank]', 'href'))
    await context.close()
  }
})

t.test('a browser gets pages at addresses that have none', async (t) => {
  const { port } = opaque
  const { page, complaints } = await browser.welcome()
  const missing = await page.goto(`http://localhost:${port}/nothing`)
  t.equal(missing?.status(), 404)
  t.equal(await page.textContent('h1'), 'Page not found')
  const refused = await page.goto(`http://localhost:${port}/oauth2/token`)
  t.equal(refused?.status(), 405)
  t.equal(await page.textContent('h1'), 'This address is for applications')
  await page.click('main a')
  t.equal(await page.textContent('h1'), 'Sign-in for your applications')
  t.same(
    complaints.filter((text) => !/status of 40[45]/.test(text)),
    [],
  )
})
