// The documentation as a site, as a reader has it who opens its files: no server, and no other host.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, normalize, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import t from 'tap'
import { accessibilityFaults, DESKTOP, NARROW, type Screen, startBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/build.ts'
import { ROOT } from '../../support/process.ts'

t.setTimeout(900_000)

const site = await temporaryFolder(t, 'site')
const VERSION: string = JSON.parse(readFileSync('package.json', 'utf8')).version
const NEXT = '99.0.0'
/** The texts of all pages are indexed in the browser, beside whatever else the machine does. */
const PATIENCE_MS = 60_000
build()
// Another version comes later, of another folder: pages that are there already offer it.
const later = await temporaryFolder(t, 'later')
execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, later])
const changelog = readFileSync('CHANGELOG.md', 'utf8')
writeFileSync(join(later, 'package.json'), JSON.stringify({ version: NEXT }))
writeFileSync(join(later, 'CHANGELOG.md'), `${changelog}\n## ${NEXT} - 2030-01-02\n\nMore.\n`)
build('--from', later)

const browser = await startBrowser(t)
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
)
const ofVersion = (name: string) => `v${VERSION}/${name}`
const addressOf = (name: string) => `${pathToFileURL(site)}/${name}`

function build(...args: string[]): void {
  execFileSync('npm', ['run', 'docs:site', '--', '--to', site, ...args], { cwd: ROOT, stdio: 'pipe' })
}

/** A reader who opens a page of the version; what is asked of a host is refused and kept. */
async function open(name: string, screen: Screen = DESKTOP) {
  const { page, context, complaints } = await browser.welcome(screen)
  context.setDefaultTimeout(PATIENCE_MS)
  const asked: string[] = []
  await context.route(/^(?!file:|data:)/, (route) => {
    asked.push(route.request().url())
    return route.abort()
  })
  await page.goto(addressOf(name))
  return { page, asked, complaints }
}

t.test('every link of every page has its target, and nothing is loaded from elsewhere', (t) => {
  const texts = new Map(pages.map((name) => [name, readFileSync(join(site, name), 'utf8')]))
  const anchors = new Map(
    [...texts].map(([name, text]) => [name, [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)]),
  )
  const isFile = new Set(readdirSync(site, { recursive: true, encoding: 'utf8' }))
  const faults: string[] = []
  let links = 0
  for (const [name, text] of texts) {
    const ids = anchors.get(name) ?? []
    if (new Set(ids).size < ids.length) faults.push(`${name} has an id twice`)
    for (const [, attribute, target = ''] of text.matchAll(/ (href|src)="([^"]*)"/g)) {
      links += 1
      if (target === 'data:,' || (attribute === 'href' && /^(https?|mailto):/.test(target))) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? name : normalize(posix.join(posix.dirname(name), path))
      if (!isFile.has(file)) faults.push(`${name}: ${target}`)
      else if (anchor && !anchors.get(file)?.includes(anchor)) faults.push(`${name}: ${target}`)
    }
  }
  t.ok(pages.length > 300 && links > 20_000, `${pages.length} pages, ${links} links`)
  t.same(faults, [])
  t.end()
})

t.test('a link that leads nowhere ends the build, and nothing is written', async (t) => {
  const text = readFileSync(join(later, 'docs/glossary.md'), 'utf8')
  writeFileSync(join(later, 'docs/glossary.md'), `${text}\n[a](nowhere.md) [b](errors.md#nothing)\n`)
  const out = await temporaryFolder(t, 'nothing')
  t.throws(() => build('--from', later, '--to', out), /nowhere\.md\n.*errors\.md#nothing/)
  t.same(readdirSync(out), [])
})

/** axe cannot decide which ground a text has that lies outside of a scroller, or under what is open. */
const UNDECIDED = /background color could not be determined because it.*(obscured|overlap)/
async function faultsOf(page: Page): Promise<string[]> {
  return (await accessibilityFaults(page)).filter((fault) => !UNDECIDED.test(fault))
}

const KINDS = [
  'index.html',
  'search.html',
  'connect/nextjs.html',
  'configuration.html',
  'console.html',
  'promises.html',
  'decisions/0065-dpop.html',
  'project/index.html',
]
for (const dark of [false, true]) {
  t.test(`each kind of page has no fault of accessibility, ${dark ? 'dark' : 'light'}`, async (t) => {
    const reader = await open('versions.html', { ...DESKTOP, dark })
    for (const name of [...KINDS.map(ofVersion), 'versions.html']) {
      await reader.page.goto(addressOf(name))
      t.same([...reader.asked, ...reader.complaints.splice(0)], [], name)
      t.same(await faultsOf(reader.page), [], name)
      // axe asks for the style sheet once more, which a page that is opened as a file may not.
      reader.complaints.splice(0)
    }
    const { page } = await open(ofVersion('index.html#menu'), { ...NARROW, dark })
    t.same(await faultsOf(page), [], 'the menu on a phone')
    await page.goto(addressOf(ofVersion('index.html')))
    await page.locator('.versions summary').click()
    t.same(await faultsOf(page), [], 'the versions')
    await page.getByRole('searchbox').fill('revoke')
    await page.locator('.found li').first().waitFor()
    t.same(await faultsOf(page), [], 'what is found')
    await page.keyboard.press('Enter')
    await page.locator('.hits li').first().waitFor()
    t.same(await faultsOf(page), [], 'all that is found')
  })
}

t.test('on a phone no page is wider than the window, and a wide table scrolls in itself', async (t) => {
  const { page } = await open(ofVersion('index.html'), NARROW)
  const own = pages.filter((name) => name.startsWith(`v${VERSION}/`))
  for (const name of own) {
    await page.goto(addressOf(name))
    const width = await page.evaluate('document.documentElement.scrollWidth')
    if (Number(width) > NARROW.width) t.fail(`${name} is ${width} wide`)
  }
  await page.goto(addressOf(ofVersion('configuration.html')))
  const [inside, outside] = await page.evaluate<[number, number]>(
    '(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector(".table"))',
  )
  t.ok(inside > outside, `a table of ${inside} in ${outside}`)
  t.ok(own.length > 150)
})

t.test(
  'a reader without scripts reads, finds the menu on a phone, and gets a list instead of the search',
  async (t) => {
    const { page } = await open(ofVersion('glossary.html'), { ...NARROW, scripts: false })
    t.ok(await page.getByRole('heading', { level: 1, name: 'Glossary' }).isVisible())
    t.notOk(await page.getByRole('button').first().isVisible(), 'no button without a use')
    t.notOk(await page.locator('#menu').isVisible())
    await page.getByRole('link', { name: 'Menu', exact: true }).click()
    t.ok(await page.locator('#menu').isVisible())
    await page.getByRole('link', { name: 'Errors', exact: true }).click()
    t.equal(await page.locator('h1').textContent(), 'Errors')
    await page.getByRole('searchbox').fill('revoke')
    await page.keyboard.press('Enter')
    await page.getByText('The search needs scripts').waitFor()
    t.ok(await page.locator('main').getByRole('link', { name: 'Threat model' }).isVisible())
  },
)

t.test('the search finds a setting by its name, by keyboard, and asks no host', async (t) => {
  const { page, asked, complaints } = await open(ofVersion('decisions/0065-dpop.html'))
  await page.keyboard.press('/')
  await page.keyboard.type('REFRESH_RETRY_WINDOW')
  const first = page.locator('.found li').first()
  await first.waitFor()
  t.match(await first.textContent(), 'Configuration')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => !url.pathname.includes('decisions'))
  t.match(await page.locator('main').textContent(), 'REFRESH_RETRY_WINDOW')

  await page.getByRole('searchbox').fill('wordthatnopagehas')
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  t.notOk(await page.locator('.found').isVisible())
  t.same([...asked, ...complaints], [])
})

t.test('the colours that a reader chose hold on the next page', async (t) => {
  const { page } = await open(ofVersion('index.html'))
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const light = await ground()
  await page.getByRole('button', { name: 'Dark' }).click()
  const dark = await ground()
  t.not(dark, light)
  await page.goto(addressOf(ofVersion('errors.html')))
  t.equal(await ground(), dark)
  await page.getByRole('button', { name: 'Light' }).click()
  t.equal(await ground(), light)
})

t.test(
  'a page leads to the same page of a version that came later, and the site begins at the newest',
  async (t) => {
    const { page } = await open(ofVersion('connect/go.html'))
    await page.locator('.versions summary').click()
    await page.locator('.versions').getByRole('link', { name: NEXT }).click()
    await page.waitForURL(addressOf(`v${NEXT}/connect/go.html`))
    t.equal(await page.locator('h1').textContent(), 'Go')

    await page.goto(addressOf('index.html'))
    await page.waitForURL(addressOf(`v${NEXT}/index.html`))
    await page.locator('.versions summary').click()
    await page.getByRole('link', { name: 'All versions' }).click()
    t.match(
      await page.locator('main').textContent(),
      new RegExp(`${NEXT}, of 2030-01-02, the current one.*${VERSION}`, 's'),
    )
    // What is released is shown as it was then.
    t.match(readFileSync(join(site, `v${NEXT}/operations.html`), 'utf8'), `/blob/v${NEXT}/docs/operations.md`)
  },
)

t.test('descriptions of the APIs can be downloaded', async (t) => {
  const { page } = await open(ofVersion('admin-api.html'))
  const link = page.locator('a[href="admin-openapi.json"]').first()
  t.equal(await link.getAttribute('download'), '')
  t.ok(JSON.parse(readFileSync(join(site, ofVersion('admin-openapi.json')), 'utf8')).openapi)
})
