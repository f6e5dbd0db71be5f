// A person allows notices in a browser, and one is shown. What reaches the browser's own service is replaced: there is none here.
import t from 'tap'
import { setStage } from '../../../support/browser/stage.ts'
import { DESKTOP, NARROW } from '../../../support/browser.ts'
import { startPushService } from '../../../support/push-service.ts'

const stage = await setStage(t, {
  ask_people: 'on',
  web_push_private_key: Buffer.alloc(32, 1).toString('base64'),
  web_push_contact: 'mailto:ops@example.com',
})
const { issuer } = stage
await stage.addUser('anna', {})

t.test('the button is there with scripts, and what was allowed is on the page', async (t) => {
  const { subscribe } = await startPushService(t)
  const { subscription } = subscribe()
  const anna = await stage.welcome({ ...DESKTOP, scripts: true })
  const { page } = anna
  await page.goto(`${issuer}/account/notices`)
  await anna.signIn('anna')
  await anna.sees('Notices in browsers')
  const button = page.getByRole('button', { name: 'Allow notices in this browser' })
  await button.waitFor()

  await page.evaluate(`Notification.requestPermission = async () => 'denied'`)
  await button.click()
  await page.getByText('This browser allows no notices from here').waitFor()

  await page.evaluate(`Notification.requestPermission = async () => 'granted'
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      if (applicationServerKey.length !== 87) throw new Error('not a key')
      return ${subscription}
    }`)
  await button.click()
  await page.getByText('This browser tells you when somebody asks.').waitFor()
  const workers = await page.evaluate(
    'navigator.serviceWorker.getRegistrations().then((all) => all.map(({ active }) => active.scriptURL))',
  )
  t.same(workers, [`${issuer}/oauth2/notices-worker.js`])
  await page.goto(`${issuer}/account/notices`)
  await page.getByRole('button', { name: /^No notices there/ }).click()
  await page.getByText('That browser tells you nothing any more.').waitFor()
  t.same(anna.complaints, [])
})

t.test('without scripts nothing is offered', async (t) => {
  const anna = await stage.welcome({ ...NARROW, scripts: false })
  const { page } = anna
  await page.goto(`${issuer}/account/notices`)
  await anna.signIn('anna')
  await anna.sees('Notices in browsers')
  t.equal(await page.getByRole('button', { name: 'Allow notices in this browser' }).count(), 0)
  t.same(anna.complaints, [])
})
