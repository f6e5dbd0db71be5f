// Debian's Chromium, driven by playwright-core: what a person sees and does, measured.
import { accessSync, constants } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import axe from 'axe-core'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

/** The part of a tap test that is used here. */
interface Owner {
  teardown(end: () => Promise<void>): unknown
}

/** What a person has before them. */
export interface Screen {
  width: number
  height: number
  dark?: boolean
  scripts?: boolean
}

/** A person at a browser that nobody used before. */
export interface Visitor {
  readonly context: BrowserContext
  /** The first tab. */
  readonly page: Page
  /** What the browser complained about in any tab: violations of a policy, errors, failed loads. */
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

/** Starts a browser, CHROMIUM where that is set; it and all its visitors are gone with the test. */
export async function startBrowser(t: Owner) {
  const browser = await chromium.launch({
    executablePath: pathOf(process.env.CHROMIUM || 'chromium'),
    headless: true,
    args: ARGS,
  })
  t.teardown(() => browser.close())
  return {
    /** Lets somebody in, with cookies of their own. */
    async welcome({ width, height, dark = false, scripts = true }: Screen = DESKTOP): Promise<Visitor> {
      const context = await browser.newContext({
        viewport: { width, height },
        isMobile: width < 600,
        colorScheme: dark ? 'dark' : 'light',
        javaScriptEnabled: scripts,
        locale: 'en',
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

/** What axe-core finds wrong with the page that is shown or cannot decide, a line for each element. Scripts must be on. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await showAtOnce(page)
  // By the protocol and not as an element: the policy of the page stays what it is.
  await page.evaluate(axe.source)
  const { violations, incomplete } = await page.evaluate<axe.AxeResults>('axe.run()')
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  )
}

/** Shows what would show up in a while. */
export async function showAtOnce(page: Page): Promise<void> {
  await page.evaluate('for (const animation of document.getAnimations()) animation.finish()')
}

/** Where a program is: a path as it is, a name on the PATH. */
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
