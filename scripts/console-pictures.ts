import { join } from 'node:path'
import redmint from '../app.ts'
import { createInstance } from '../instance.ts'
import { DEMO_APP } from '../src/demo/demo-clients.ts'
import { DEMO_PASSWORD, DEMO_USER } from '../src/demo/demo-user.ts'
import { MemoryStorage } from '../src/storage/memory/storage.ts'
import type { startBrowser } from '../test/support/browser.ts'
import { freePort } from '../test/support/process.ts'

/** What is shown of the console: the name of the picture, and the path of the page below the console. */
const PAGES = {
  home: '',
  person: `/people/${DEMO_USER}`,
  applications: '/applications',
  explain: '/explain',
  events: '/events',
} as const

/** Takes pictures of the console in demo mode, into this folder; yields the file of each. */
export async function* takeConsolePictures(
  browser: Awaited<ReturnType<typeof startBrowser>>,
  folder: string,
): AsyncGenerator<string> {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const fastify = createInstance({ level: 'silent' })
  const settings = { demo: true, admin_api: 'on', console: 'on', audit: 'on', service_name: 'Acme' } as const
  await fastify.register(redmint, { issuer, storage: new MemoryStorage(), ...settings })
  await fastify.listen({ host: '127.0.0.1', port })
  const { context, page } = await browser.welcome()
  // A request that is refused, so that there is something to explain.
  await page.goto(
    `${issuer}/oauth2/authorize?client_id=${DEMO_APP.client_id}&redirect_uri=${issuer}/elsewhere`,
  )
  await page.goto(`${issuer}/console`)
  await page.fill('input[name=username]', DEMO_USER)
  await page.fill('input[name=password]', DEMO_PASSWORD)
  await page.click('button.primary')
  await page.waitForURL(`${issuer}/console**`)
  for (const [name, path] of Object.entries(PAGES)) {
    await page.goto(`${issuer}/console${path}`)
    const file = join(folder, `console-${name}.png`)
    await page.screenshot({ path: file, fullPage: true })
    yield file
  }
  await context.close()
  await fastify.close()
}
