// docs/production.md to its end: the printed Express application, made from npm's packages, and eve in a browser.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { NEW_PASSWORD } from '../support/accounts.ts'
import { startBrowser } from '../support/browser.ts'
import { freePort } from '../support/process.ts'
import { followProductionPage } from '../support/production-page.ts'
import { madeOf } from './stranger.ts'

t.test('the invited person signs in at the application that the page makes', async (t) => {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  await followProductionPage(t, origin, async ({ printed, invitation }) => {
    const empty = await mkdtemp(join(tmpdir(), 'redmint-shop-'))
    t.teardown(() => rm(empty, { recursive: true, force: true }))
    const shop = await madeOf(t, filesIn(printed), empty, origin)
    await shop.serve()
    t.match(await (await fetch(origin)).text(), 'Nobody is signed in.')

    const { page } = await (await startBrowser(t)).welcome()
    await page.goto(invitation)
    await page.fill('input[name=username]', 'eve')
    await page.fill('input[name=password]', NEW_PASSWORD)
    await page.click('button.main')
    await page.getByRole('heading', { name: 'Your account is ready' }).waitFor()
    await page.goto(origin)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.click('button[name=decision][value=allow]')
    await page.getByRole('link', { name: 'Sign out' }).waitFor()
    t.match(await page.textContent('body'), 'eve@example.com')
    t.equal(new URL(page.url()).origin, origin)
  })
})

/** The files that `client add` prints, below lines as "--- app.mjs, run by: node --env-file=.env app.mjs". */
function filesIn(printed: string) {
  const parts = printed.split(/^--- /m).slice(1)
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    const [, file = '', run] = /^(.*?)(?:, (?:run by: (.*)|.*))?$/.exec(heading) ?? []
    return { file, text: lines.join('\n'), ...(run !== undefined && { run }) }
  })
}
