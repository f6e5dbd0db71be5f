// A person follows the link to a pushed request (RFC 9126), in English and German; the answer is a form with a JWT (JARM).
// Each request goes to another replica.
import { createRemoteJWKSet, jwtVerify } from 'jose'
import t from 'tap'
import { PATHS } from '../../../../src/core/paths.ts'
import { builtIn } from '../../../../src/texts/built-in.ts'
import { setStage } from '../../../support/browser/stage.ts'
import { accessibilityFaults, DESKTOP, NARROW } from '../../../support/browser.ts'
import { basic } from '../../../support/service.ts'

const stage = await setStage(t)
const { issuer, shop } = stage

/** Pushes a request of the shop. Returns the link for the browser. */
async function push(overrides: Record<string, string>): Promise<string> {
  const response = await fetch(`${issuer}/oauth2/par`, {
    method: 'POST',
    headers: basic('shop'),
    body: new URLSearchParams(shop.request(overrides)),
  })
  const { request_uri } = (await response.json()) as { request_uri: string }
  return `${issuer}/oauth2/authorize?${new URLSearchParams({ client_id: 'shop', request_uri })}`
}

const WORDS = {
  en: {
    sign_in: 'Sign in',
    question: 'Allow The shop to access your account?',
    leaving: 'Taking you back',
    go_on: 'Continue',
    over: 'This sign-in is no longer open',
    reason: 'The request that the application prepared has expired',
  },
  de: {
    sign_in: 'Anmelden',
    question: 'Darf The shop auf Ihr Konto zugreifen?',
    leaving: builtIn('de').messages.form_post_title,
    go_on: 'Weiter',
    over: 'Diese Anmeldung ist nicht mehr offen',
    reason: 'Die Anfrage, die die Anwendung vorbereitet hat, ist abgelaufen',
  },
} as const

for (const [language, words] of Object.entries(WORDS)) {
  for (const scripts of [true, false]) {
    const how = `scripts ${scripts ? 'on, on a desktop' : 'off, on a phone'}`
    t.test(`a pushed request with form_post.jwt, ${language}, ${how}`, async (t) => {
      const person = await stage.welcome({ ...(scripts ? DESKTOP : NARROW), scripts })
      const { page } = person
      const audit = async (what: string) => {
        t.equal(await page.getAttribute('html', 'lang'), language, what)
        if (scripts) t.same(await accessibilityFaults(page), [], what)
      }
      const username = `${language}-${scripts}`
      await stage.addUser(username)
      const url = await push({ response_mode: 'form_post.jwt', ui_locales: language })

      await page.goto(url)
      await person.sees(words.sign_in)
      await audit('sign-in')
      await page.reload()
      await person.sees(words.sign_in)
      await page.goto(url)
      await person.sees(words.sign_in)
      await person.signIn(username)
      await person.sees(words.question)
      await audit('the question')
      await page.reload()
      await person.sees(words.question)
      const before = shop.arrivals.length
      await person.press('allow')
      if (!scripts) {
        await person.sees(words.leaving)
        await audit('the way back')
        await page.getByRole('button', { name: words.go_on }).click()
      }
      await person.sees('Welcome back to shop')
      const arrived = shop.arrivals.slice(before)
      t.match(arrived, [{ method: 'POST', path: '/callback', parameters: { response: String } }])
      const keys = createRemoteJWKSet(new URL(`${issuer}${PATHS.jwks}`))
      const { payload } = await jwtVerify(arrived[0]?.parameters.response ?? '', keys, {
        issuer,
        audience: 'shop',
      })
      t.match(payload, { code: String, state: 'a state' })
      t.same(Object.keys(arrived[0]?.parameters ?? {}), ['response'], 'nothing beside the JWT')
      t.same(person.complaints, [])

      await page.goto(url)
      // Nothing of the request is read any more, so its language is not known.
      if (language === 'de') {
        await page.locator('footer summary').click()
        await page.getByRole('button', { name: 'Deutsch' }).click()
      }
      await person.sees(words.over)
      t.match(await page.textContent('main'), words.reason)
      await audit('the second use')
      t.equal(shop.arrivals.length, before + 1)
    })
  }
}

t.test('the sign-in of another browser came first', async (t) => {
  const url = await push({ response_mode: 'form_post.jwt' })
  const [first, second] = [await stage.welcome(), await stage.welcome()]
  for (const { page } of [first, second]) await page.goto(url)
  const before = shop.arrivals.length
  for (const person of [first, second]) {
    await person.signIn('alice')
    if (person === first) {
      await person.sees(WORDS.en.question)
      await person.press('allow')
      await person.sees('Welcome back to shop')
    }
  }
  await second.sees(WORDS.en.over)
  t.equal(shop.arrivals.length, before + 1)
})
