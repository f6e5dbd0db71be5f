// The pages as Chromium shows them, with the headers that the service sends.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { consentPage } from '../../../../src/pages/consent.ts'
import { formPostPage } from '../../../../src/pages/form-post.ts'
import type { View } from '../../../../src/pages/layout.ts'
import { DESKTOP, NARROW, startBrowser } from '../../../support/browser.ts'
import { GALLERY, openGallery, SENDS_ITSELF } from '../../../support/gallery.ts'
import { LANGUAGES } from '../../../support/languages.ts'
import { WEEKLY } from '../../../support/suite.ts'
import { until } from '../../../support/until.ts'

const browser = await startBrowser(t)

/** The faults of the page, measured in the browser, as a list of sentences. */
const FAULTS = `(() => {
  const faults = []
  const all = (selector) => [...document.querySelectorAll(selector)]
  const root = document.scrollingElement
  if (root.scrollWidth > innerWidth) faults.push('scrolls sideways: ' + root.scrollWidth)
  for (const element of all('body *')) {
    // It comes into the page with the focus.
    if (element.matches('.skip')) continue
    const { left, right } = element.getBoundingClientRect()
    if (left < 0 || right > innerWidth) faults.push(element.outerHTML.slice(0, 80) + ' sticks out')
  }
  for (const target of all('button:not([hidden]), a, input:not([type=hidden])')) {
    // What its script has not shown yet, or a disclosure holds back.
    if (target.closest('[hidden], details:not([open]), .skip') || target.getClientRects().length === 0) continue
    // What belongs to a box to tick is its label.
    const { width, height } = (target.type === 'checkbox' ? target.closest('label') : target).getBoundingClientRect()
    // At a desk, the rows of the account have buttons for a pointer (WCAG 2.2 §2.5.8 asks for 24).
    const least = document.body.matches('.account') && innerWidth > 960 ? 30 : 44
    if (width < least || height < least) faults.push(target.outerHTML.slice(0, 80) + ' is small')
  }
  for (const input of all('input:not([type=hidden])')) {
    if (input.labels.length !== 1) faults.push(input.name + ' has no label')
    if (parseFloat(getComputedStyle(input).fontSize) < 16) faults.push('a phone zooms into ' + input.name)
  }
  for (const [selector, count] of [['h1', 1], ['main', 1], ['body header:not(.panel header)', 1], ['title', 1]]) {
    if (all(selector).length !== count) faults.push(selector + ' ' + all(selector).length)
  }
  for (const mark of all('.mark')) {
    const { width, height } = mark.getBoundingClientRect()
    if (width !== height) faults.push('a mark is ' + width + ' to ' + height)
  }
  const ids = all('[id]').map(({ id }) => id)
  if (new Set(ids).size !== ids.length) faults.push('an id twice')
  for (const element of all('[aria-describedby], [aria-labelledby]')) {
    const ids = element.getAttribute('aria-describedby') ?? element.getAttribute('aria-labelledby')
    for (const id of ids.split(' ')) if (!document.getElementById(id)) faults.push('no element ' + id)
  }
  // An address, a key or JSON in a page from right to left has its signs in another order.
  for (const code of all('code, pre, dd [lang=en], time:not([datetime])')) {
    if (getComputedStyle(code).direction !== 'ltr') faults.push(code.outerHTML.slice(0, 80) + ' is turned round')
  }
  if (getComputedStyle(document.querySelector('.card, .panel > header')).paddingLeft === '0px') faults.push('no style')
  if (document.compatMode !== 'CSS1Compat') faults.push('quirks mode')
  return faults
})()`

const SURFACES = new Map([
  [NARROW, 'rgb(255, 255, 255)'],
  [{ ...DESKTOP, dark: true }, 'rgb(12, 14, 17)'],
  [DESKTOP, 'rgb(246, 247, 249)'],
  [{ ...NARROW, dark: true }, 'rgb(21, 24, 28)'],
])

/** All of them only weekly, and where there is least room: a page takes a tenth of a second. */
function tagsOn(screen: typeof NARROW): string[] {
  if (screen !== NARROW) return ['ar']
  return WEEKLY ? LANGUAGES.map(({ tag }) => tag) : ['en', 'de', 'ar']
}

/** What is dark differs in its colours alone, which need one page, but for the week. */
const pagesOn = ({ dark = false }: typeof NARROW) => (dark && !WEEKLY ? ['login'] : Object.keys(GALLERY))

for (const [screen, surface] of SURFACES) {
  const { width, dark = false } = screen
  const tags = tagsOn(screen)
  t.test(`pages in ${tags.length} languages, ${width} pixels wide, ${dark ? 'dark' : 'light'}`, async (t) => {
    const { address, close } = await openGallery({
      service_name: 'A name of a service that is far too long for this',
    })
    t.teardown(close)
    const { page, complaints } = await browser.welcome(screen)
    const names = pagesOn(screen)
    for (const name of names) {
      for (const tag of tags) {
        await page.goto(`${address}/${name}?stay&ui_locales=${tag}`)
        t.same(await page.evaluate(FAULTS), [], `${name} in ${tag}`)
      }
    }
    t.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), surface)
    // The pages that stay do so because their policy does not know the script.
    const refused = complaints.filter((text) => /Content Security Policy/.test(text))
    const sending = names.filter((name) => SENDS_ITSELF.has(name))
    t.equal(refused.length, sending.length * tags.length, refused.join('\n'))
    t.ok(
      refused.every((text) => /script/.test(text)),
      refused.join('\n'),
    )
    t.same(
      complaints.filter((text) => !refused.includes(text)),
      [],
    )
  })
}

t.test('only the picture of the logo is shown', async (t) => {
  const { address, close } = await openGallery({ logo_url: '/logo.svg' })
  t.teardown(close)
  const { page, complaints } = await browser.welcome(NARROW)
  await page.goto(`${address}/login`)
  t.same(await page.evaluate(FAULTS), [])
  t.same(
    await page.evaluate(
      "(({ naturalWidth, height, width, alt }) => [naturalWidth, height, width, alt])(document.querySelector('img'))",
    ),
    [120, 36, 108, 'redmint'],
  )
  t.same(complaints, [])
  await page.evaluate("{ document.images[0].src = 'data:image/svg+xml,<svg/>' }")
  await until('the policy refuses it', () => complaints.some((text) => text.includes('img-src')))
})

/** Of each button of a provider: its kind, colours, and where its mark is. */
const BUTTONS = `[...document.querySelectorAll('.provider')].map((button) => {
  const { color, backgroundColor, borderTopColor } = getComputedStyle(button)
  const box = button.getBoundingClientRect()
  const mark = button.querySelector('svg')?.getBoundingClientRect()
  const place = mark && [mark.width, mark.height, Math.round(mark.left - box.left), Math.round(box.right - mark.right)]
  return { kind: button.dataset.kind, colors: [backgroundColor, borderTopColor, color], place }
})`

t.test('the button of a provider has the colours that it wants, and its mark at the beginning', async (t) => {
  const { address, close } = await openGallery()
  t.teardown(close)
  const wanted = {
    light: {
      google: ['rgb(255, 255, 255)', 'rgb(116, 119, 117)', 'rgb(31, 31, 31)'],
      microsoft: ['rgb(255, 255, 255)', 'rgb(140, 140, 140)', 'rgb(94, 94, 94)'],
      apple: ['rgb(0, 0, 0)', 'rgb(0, 0, 0)', 'rgb(255, 255, 255)'],
    },
    dark: {
      google: ['rgb(19, 19, 20)', 'rgb(142, 145, 143)', 'rgb(227, 227, 227)'],
      microsoft: ['rgb(47, 47, 47)', 'rgb(140, 140, 140)', 'rgb(255, 255, 255)'],
      apple: ['rgb(255, 255, 255)', 'rgb(255, 255, 255)', 'rgb(0, 0, 0)'],
    },
  }
  for (const scheme of ['light', 'dark'] as const) {
    const { page, complaints } = await browser.welcome({ ...NARROW, dark: scheme === 'dark', scripts: false })
    for (const tag of ['en', 'ar']) {
      await page.goto(`${address}/login-providers?ui_locales=${tag}`)
      type Button = { kind: string; colors: string[]; place?: number[] }
      const buttons = await page.evaluate<Button[]>(BUTTONS)
      t.equal(buttons.length, 6)
      for (const { kind, colors, place } of buttons) {
        const own = wanted[scheme][kind as 'google' | 'microsoft' | 'apple']
        if (own) t.same(colors, own, `${kind}, ${scheme}`)
        else t.equal(colors[0], 'rgba(0, 0, 0, 0)', `${kind} is plain`)
        if (kind === 'oidc') t.equal(place, undefined)
        else t.same(tag === 'ar' ? [place?.[0], place?.[3]] : [place?.[0], place?.[2]], [20, 17], kind)
      }
    }
    t.same(complaints, [])
  }
  // Whoever wants the colours of the system gets those, and a mark that can be seen.
  const { page } = await browser.welcome(NARROW)
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(`${address}/login-providers`)
  const shown = await page.evaluate<{ colors: string[] }[]>(BUTTONS)
  // The face keeps only how transparent it is.
  t.equal(new Set(shown.map(({ colors: [, ...line_and_text] }) => line_and_text.join())).size, 1)
})

t.test('odd names do not break a page', async (t) => {
  const form = { action: '/sent', csrf: '1', transaction: '2' }
  const host = `${'a'.repeat(60)}.example.com`
  const names = [
    'x'.repeat(10_000),
    '\u202e<script>document.title = 1</script>',
    'Z\u0300\u0301'.repeat(60),
    'ابجد'.repeat(30),
  ]
  const odd = names.map((name, index) => {
    const account = { name, detail: name }
    const props = { ...form, destination: { client_name: name, host }, scopes: ['x'.repeat(200)], account }
    return [`consent-odd-${index}`, (view: View) => consentPage(props, view)] as const
  })
  const { address, close } = await openGallery({}, Object.fromEntries(odd))
  t.teardown(close)
  const { page, complaints } = await browser.welcome(NARROW)
  for (const [name] of odd) {
    await page.goto(`${address}/${name}`)
    t.same(await page.evaluate(FAULTS), [], name)
  }
  t.same(complaints, [])
})

t.test('sign-in with the keyboard only', async (t) => {
  const { address, sent, close } = await openGallery()
  t.teardown(close)
  const { page, complaints } = await browser.welcome()
  await page.goto(`${address}/login`)
  const focused = () =>
    page.evaluate(`(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
      return [document.activeElement.name || document.activeElement.tagName, outlineStyle, outlineWidth].join(' ')
    })()`)
  await until('the browser shows the focus', async () => (await focused()) === 'username solid 2px')
  await page.keyboard.insertText('alice')
  await page.keyboard.press('Tab')
  t.equal(await focused(), 'password solid 2px')
  await page.keyboard.insertText('<secret> & "more"')
  for (const next of ['BUTTON', 'A', 'BUTTON']) {
    await page.keyboard.press('Tab')
    t.equal(await focused(), `${next} solid 2px`)
  }
  await page.keyboard.press('Enter')
  await until('the form is sent', () => sent.length > 0)
  t.same(Object.fromEntries(new URLSearchParams(sent[0])), {
    csrf: 'a-csrf-token-of-32-characters-..',
    transaction: 'a-transaction',
    username: 'alice',
    password: '<secret> & "more"',
  })
  t.same(complaints, [])
})

t.test('show the password, Caps Lock, and a button that waits', async (t) => {
  const { address, sent, close } = await openGallery()
  t.teardown(close)
  const { page, complaints } = await browser.welcome()
  await page.goto(`${address}/login?ui_locales=de`)
  const typeOf = () => page.evaluate("document.querySelector('#password').type")
  const textOf = (selector: string) => page.locator(selector).textContent()
  await page.fill('#username', 'alice')
  await page.fill('#password', 'secret')
  t.equal(await typeOf(), 'password')
  const eye = page.getByRole('button', { name: 'Passwort anzeigen' })
  t.equal(await eye.getAttribute('aria-pressed'), 'false')
  await eye.click()
  t.equal(await typeOf(), 'text')
  t.equal(await eye.getAttribute('aria-pressed'), 'true')
  t.equal(await page.evaluate('document.activeElement.id'), 'password', 'typing goes on')
  await eye.click()
  t.equal(await typeOf(), 'password')

  const press = (lock: boolean) =>
    page.evaluate(
      `document.querySelector('#password').dispatchEvent(new KeyboardEvent('keydown', { modifierCapsLock: ${lock} }))`,
    )
  t.equal(await textOf('#caps'), '')
  await press(true)
  t.equal(await textOf('#caps'), 'Die Feststelltaste ist an.')
  t.same(await page.evaluate(FAULTS), [])
  await press(false)
  t.equal(await textOf('#caps'), '')

  await eye.click()
  // As the browser does, but the page stays.
  await page.evaluate(
    "document.forms[0].addEventListener('submit', (event) => event.preventDefault(), { once: true })",
  )
  await page.click('button.main')
  t.equal(await page.isDisabled('button.main'), true)
  t.equal(await textOf('button.main'), 'Anmeldung läuft…')
  t.equal(await typeOf(), 'password', 'a browser does not remember it as plain text')
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
  t.equal(await page.isDisabled('button.main'), false, 'the back button')
  t.equal(await textOf('button.main'), 'Anmelden')
  t.same(sent, [])
  await page.click('button.main')
  await until('the form is sent', () => sent.length > 0)
  t.match(sent, [/&username=alice&password=secret$/])
  t.same(complaints, [])
})

t.test('a button that waits ends with time, if the user stopped the navigation', async (t) => {
  const { address, close } = await openGallery()
  t.teardown(close)
  const { page } = await browser.welcome()
  await page.clock.install()
  await page.goto(`${address}/login`)
  await page.evaluate("document.forms[0].addEventListener('submit', (event) => event.preventDefault())")
  await page.fill('#username', 'alice')
  await page.fill('#password', 'secret')
  await page.click('button.main')
  t.equal(await page.isDisabled('button.main'), true)
  await page.clock.fastForward(10_000)
  t.equal(await page.isDisabled('button.main'), false)
})

t.test('sign-in without scripts: nothing is offered that needs one', async (t) => {
  const { address, sent, close } = await openGallery()
  t.teardown(close)
  const { page, complaints } = await browser.welcome({ ...NARROW, scripts: false })
  await page.goto(`${address}/login`)
  t.equal(await page.isVisible('#show'), false)
  t.same(await page.evaluate(FAULTS), [])
  await page.click('footer summary')
  await page.click('text=Deutsch')
  t.equal(await page.evaluate('document.documentElement.lang'), 'de')
  await page.goto(`${address}/consent`)
  t.equal(await page.evaluate('document.documentElement.lang'), 'de', 'the choice stays')
  await page.click('footer summary')
  await page.click('text=English')
  t.equal(await page.evaluate('document.documentElement.lang'), 'en')
  await page.goto(`${address}/login`)
  await page.fill('#username', 'alice')
  await page.fill('#password', 'secret')
  await page.keyboard.press('Enter')
  await until('the form is sent', () => sent.length > 0)
  t.match(sent, [/&username=alice&password=secret$/])
  t.same(complaints, [])
})

// Values that a parser or an encoder might change.
const PARAMETERS = {
  code: 'a-code',
  state: ` <"'&amp;&#60;&notit;+%20%zz=;/>\\ä漢😀\u202e\t ${'long '.repeat(20_000)}`,
  iss: 'https://auth.example.com',
  submit: 'a field named as the method is',
}

for (const scripts of [true, false]) {
  t.test(`form_post with scripts ${scripts ? 'on' : 'off'}`, async (t) => {
    const received: string[] = []
    // A client of another origin.
    const client = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      request.on('end', () => {
        if (request.method === 'POST') received.push(`${request.url}\n${body}`)
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>client</title>')
      })
    })
    await once(client.listen(0, '127.0.0.1'), 'listening')
    const redirect_uri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback?x=1&y=%22`
    const render = (view: View) => formPostPage({ redirect_uri, parameters: PARAMETERS }, view)
    const { address, close } = await openGallery({}, { 'form-post': render })
    t.teardown(close)
    t.teardown(() => client.close())
    t.teardown(() => client.closeAllConnections())

    const { page, complaints } = await browser.welcome({ ...NARROW, scripts })
    await page.goto(`${address}/form-post`)
    if (!scripts) {
      t.match(await page.evaluate('document.title'), 'Taking you back')
      t.equal(received.length, 0)
      await until('the button is shown', () =>
        page.evaluate("getComputedStyle(document.querySelector('button')).visibility === 'visible'"),
      )
      t.same(await page.evaluate(FAULTS), [])
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
    }
    await until('the client has it', () => received.length > 0)
    const [target = '', body = ''] = received[0]?.split('\n') ?? []
    t.equal(target, '/callback?x=1&y=%22')
    t.same(Object.fromEntries(new URLSearchParams(body)), PARAMETERS)
    t.equal(received.length, 1)
    t.same(complaints, [])
  })
}
