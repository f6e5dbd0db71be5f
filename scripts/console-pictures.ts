import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { redmintWith } from '../app.ts'
import { createInstance } from '../instance.ts'
import { DEMO_PASSWORD, DEMO_USER } from '../src/demo/demo-user.ts'
import { MemoryStorage } from '../src/storage/memory/storage.ts'
import type { startBrowser } from '../test/support/browser.ts'
import { freePort } from '../test/support/process.ts'
import { until } from '../test/support/until.ts'
import { asPerson, setScene } from './console-scene.ts'

/** What a picture shows: the path of the page below the console, and what an operator does there. */
type Picture = readonly [path: string, act?: (page: Page, token: string) => Promise<void>]

const press = (page: Page, button: string) => page.getByRole('button', { name: button, exact: true }).click()

/** What is shown of the console, by the names of the pictures. */
const PICTURES: Readonly<Record<string, Picture>> = {
  home: [''],
  people: ['/people'],
  person: ['/people/ada'],
  disable: ['/people/ada/disable'],
  invitations: ['/invitations'],
  applications: ['/applications'],
  application: ['/applications/shop?uri=https://shop.example.com/calback'],
  settings: [
    '/applications/new?for=nextjs',
    async (page) => {
      await page.fill('input[name=client_id]', 'intranet')
      await page.fill('input[name=client_name]', 'Intranet')
      await page.fill('input[name=origin]', 'https://intranet.example.com')
      await press(page, 'Add application')
    },
  ],
  edit: ['/applications/shop/edit'],
  difference: [
    '/applications/shop/edit',
    async (page) => {
      await page.fill(
        'textarea[name=redirect_uris]',
        'https://shop.example.com/callback\nhttp://localhost:3000/callback',
      )
      await page.check('input[name=who][value=groups]')
      await page.fill('input[type=text][name="allowed_groups[]"]', 'staff')
      await press(page, 'Review the change')
    },
  ],
  groups: ['/groups'],
  providers: ['/providers'],
  apis: ['/apis'],
  issuers: ['/issuers'],
  sessions: ['/sessions'],
  explain: ['/explain'],
  'what-if': [
    '/explain/what-if',
    async (page) => {
      await page.fill('input[name=username]', 'ada')
      await page.selectOption('select[name=client_id]', 'payroll')
      await press(page, 'Try it')
    },
  ],
  token: [
    '/explain/token',
    async (page, token) => {
      await page.fill('textarea[name=token]', token)
      await press(page, 'Look at it')
    },
  ],
  events: ['/events'],
  'server-settings': ['/settings'],
  server: ['/server'],
}

const WIDTH = 960
/** What is longer is cut: readers see what a page is, and open it for the rest. */
const LONGEST = 900

/** Takes pictures of the console in demo mode, into this folder; yields the file of each. */
export async function* takeConsolePictures(
  browser: Awaited<ReturnType<typeof startBrowser>>,
  folder: string,
): AsyncGenerator<string> {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const fastify = createInstance({ level: 'silent' })
  const storage = new MemoryStorage()
  const settings = { demo: true, admin_api: 'on', console: 'on', audit: 'on', service_name: 'Acme' } as const
  // What servers look at in the background is there soon.
  const service = redmintWith({ keepers: { every: 100 } })
  await fastify.register(service, { issuer, storage, home: true, sign_in: 'providers', ...settings })
  await fastify.listen({ host: '127.0.0.1', port })
  const token = await setScene({ issuer, storage, browser })
  const { context, page } = await browser.welcome({ width: WIDTH, height: 640 })
  await asPerson(context)
  await page.goto(`${issuer}/console`)
  await page.fill('input[name=username]', DEMO_USER)
  await page.fill('input[name=password]', DEMO_PASSWORD)
  await page.click('button.main')
  await page.waitForURL(`${issuer}/console**`)
  await until('servers have looked at all', async () => {
    await page.goto(`${issuer}/console/groups`)
    return !(await page.content()).includes('none has yet')
  })
  for (const [name, [path, act]] of Object.entries(PICTURES)) {
    await page.goto(`${issuer}/console${path}`)
    await act?.(page, token)
    await page.waitForLoadState()
    const file = join(folder, `console-${name}.png`)
    await writeFile(file, await take(page))
    yield file
  }
  await context.close()
  await fastify.close()
}

async function take(page: Page): Promise<Buffer> {
  const height = Math.min(LONGEST, await page.evaluate<number>('document.documentElement.scrollHeight'))
  return page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height } })
}
