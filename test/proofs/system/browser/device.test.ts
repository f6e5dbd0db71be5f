// A person types the code of a device on a phone or a desktop; each request goes to another replica.
import t from 'tap'
import { setStage } from '../../../support/browser/stage.ts'
import { DESKTOP, NARROW } from '../../../support/browser.ts'
import { DEVICES, deviceOf } from '../../../support/device.ts'
import { registerClient, visit } from '../../../support/server.ts'

const stage = await setStage(t)
const { issuer } = stage
await registerClient(stage.redis, DEVICES.tv)
const { token } = visit(issuer)
const post = async (path: string, form: Record<string, string>) => {
  const response = await fetch(issuer + path, { method: 'POST', body: new URLSearchParams(form) })
  const text = await response.text()
  return {
    status: response.status,
    headers: {},
    text,
    json: JSON.parse(text),
    redirect: new URLSearchParams(),
  }
}
const { codes } = deviceOf({ post, token: (form) => post('/oauth2/token', form) })
const poll = (device_code: string) =>
  token({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'tv', device_code })

for (const scripts of [true, false]) {
  t.test(`a device is connected: scripts ${scripts ? 'on, on a desktop' : 'off, on a phone'}`, async (t) => {
    const person = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts })
    const { page } = person
    const { device_code, user_code, verification_uri } = await codes()
    await page.goto(verification_uri)
    await person.sees('Connect a device')
    await page.fill('input[name=user_code]', 'wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.fill('input[name=user_code]', user_code.toLowerCase().replace('-', ' '))
    await page.click('button.main')
    await person.sees('Sign in')
    t.match(await page.textContent('main'), 'to connect a device')
    await person.signIn()
    await person.sees('Connect Living room?')
    for (const shown of [user_code, '127.0.0.1', 'Know who you are', 'Alice Example']) {
      t.match(await page.textContent('main'), shown)
    }
    await person.press('allow')
    await person.sees('The device is connected')
    await page.reload()
    await person.sees('The device is connected')
    t.equal((await poll(device_code)).status, 200)

    const second = await codes()
    await page.goto(`${second.verification_uri_complete}&ui_locales=de`)
    await person.sees('Living room verbinden?')
    await person.press('deny')
    await person.sees('Das Gerät ist nicht verbunden')
    t.equal((await poll(second.device_code)).json.error, 'access_denied')
    t.same(person.complaints, [])
  })
}
