// Debian's Chromium, driven by playwright-core: what a user sees and does, measured.
import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import axe from 'axe-core'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

/** The part of a tap test that is used here. */
interface Owner {
  teardown(end: () => Promise<void>): unknown
}

/** How a visitor sees pages. */
export interface Screen {
  width: number
  height: number
  dark?: boolean
  /** The language that the browser asks for. */
  locale?: string
  scripts?: boolean
  /** It takes any certificate. */
  is_trusting?: boolean
}

/** A visitor with a new browser profile. */
export interface Visitor {
  readonly context: BrowserContext
  /** The first tab. */
  readonly page: Page
  /** What the browser reported in any tab: policy violations, errors, failed loads. */
  readonly complaints: string[]
}

export const NARROW: Screen = { width: 320, height: 640 }
export const DESKTOP: Screen = { width: 1280, height: 800 }

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]
const PATIENCE_MS = 15_000
const COMPLAINTS = ['error', 'warning']

/** Starts a browser (CHROMIUM if set); it and all its visitors end with the test. */
export async function startBrowser(t: Owner) {
  const browser = await chromium.launch({
    executablePath: pathOf(process.env.CHROMIUM || 'chromium'),
    headless: true,
    args: ARGS,
  })
  t.teardown(() => browser.close())
  return {
    /** Creates a visitor with separate cookies. */
    async welcome({
      width,
      height,
      dark = false,
      scripts = true,
      locale = 'en',
      is_trusting = false,
    }: Screen = DESKTOP): Promise<Visitor> {
      const context = await browser.newContext({
        viewport: { width, height },
        isMobile: width < 600,
        colorScheme: dark ? 'dark' : 'light',
        javaScriptEnabled: scripts,
        locale,
        ignoreHTTPSErrors: is_trusting,
      })
      context.setDefaultTimeout(PATIENCE_MS)
      const complaints: string[] = []
      context.on('console', (message) => {
        if (COMPLAINTS.includes(message.type())) complaints.push(message.text())
      })
      context.on('weberror', (fault) => complaints.push(String(fault.error())))
      return { context, page: await context.newPage(), complaints }
    },
  }
}

/**
 * The problems and undecided checks that axe-core reports for the current page, one line per element. Needs scripts.
 * @param rules those to check; empty: all
 */
export async function accessibilityFaults(page: Page, rules: readonly string[] = []): Promise<string[]> {
  await showAtOnce(page)
  // Through the protocol, not as an element, so that the policy of the page does not change.
  await page.evaluate(axe.source)
  const options = rules.length > 0 ? { runOnly: rules } : {}
  const { violations, incomplete } = await page.evaluate<axe.AxeResults>(
    `axe.run(${JSON.stringify(options)})`,
  )
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  )
}

/** Finishes all animations. */
export async function showAtOnce(page: Page): Promise<void> {
  await page.evaluate('for (const animation of document.getAnimations()) animation.finish()')
}

/** The path of a program: a path is returned unchanged, a name is searched on the PATH. */
function pathOf(program: string): string {
  if (program.includes('/')) return resolve(program)
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, program)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {}
  }
  throw new Error(`${program} is not on the PATH`)
}

/** Waits until this field has the focus: a browser gives it after it has drawn the page, and keys before that are lost. */
export async function focus(page: Page, selector: string): Promise<void> {
  await page.locator(`${selector}:focus`).waitFor()
}
