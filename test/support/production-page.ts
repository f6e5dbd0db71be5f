// Runs docs/production.md as it is, but for ports and addresses: real Redis, two replicas, HAProxy, an SMTP server.
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { NEW_PASSWORD } from './accounts.ts'
import { settingIn, signInAtShop } from './flows/shop.ts'
import { visitorAt } from './flows/visitor-at.ts'
import { freePort, ROOT } from './process.ts'
import { startRedis } from './redis-server.ts'
import { pathOf } from './scene/requests.ts'
import { type SmtpPlace, startSmtp, textOf } from './smtp.ts'
import { prepareSteps } from './steps-of-page.ts'
import { until } from './until.ts'
import { asPage, type Visitor } from './visitor.ts'

/** What step 1 of the page made. */
export interface InstalledRedmint {
  /** The command, as words of a shell. */
  readonly command: readonly string[]
  /** The folder that has `deploy/`. */
  readonly folder: string
}

/** What the page has made of the application when somebody is to use it. */
export interface ShopOfPage {
  readonly issuer: string
  /** What `client add` printed. */
  readonly printed: string
  /** The link of the invitation of eve. */
  readonly invitation: string
}

/**
 * Follows the page, and compares what its commands print with what it says.
 * @param origin of the application
 * @param use eve opens the link of her invitation, takes the username `eve` and signs in at the application
 * @param installed what step 1 made; by default the clone
 */
export async function followProductionPage(
  t: Test,
  origin: string,
  use: (shop: ShopOfPage) => Promise<void>,
  installed?: InstalledRedmint,
): Promise<void> {
  const [redis, smtp] = [await startRedis(t), await startSmtp(t)]
  const [bind = 0, first = 0, second = 0, door = 0, door_2 = 0, drill = 0] = [
    ...[await freePort(), await freePort(), await freePort()],
    ...[await freePort(), await freePort(), await freePort()],
  ]
  const issuer = `http://localhost:${bind}`
  const replaced: [RegExp, string][] = [
    [/https:\/\/auth\.example\.com/g, issuer],
    // The way on to an application is https.
    ...(origin.startsWith('https:')
      ? []
      : ([[/ --client-uri \S+| --client shop/g, '']] as [RegExp, string][])),
    [/https:\/\/shop\.example\.com/g, origin],
    [/redis:\/\/127\.0\.0\.1:6379/g, redis.url],
    [/smtps:\/\/redmint:password@smtp\.example\.com:465/g, `smtp://localhost:${smtp.port}`],
    [/\*:443 ssl crt \S+pem/g, `127.0.0.1:${bind}`],
    [/\b3000\b/g, String(first)],
    [/\b3002\b/g, String(second)],
    [/\b9000\b/g, String(door)],
    [/\b9001\b/g, String(door_2)],
    [/\b6390\b/g, String(drill)],
    [/redmint init /g, `redmint init --management-port ${door} `],
  ]
  const { steps, step, folder } = await prepareSteps(t, 'docs/production.md', replaced, installed?.command)
  await symlink(join(installed?.folder ?? ROOT, 'deploy'), join(folder, 'deploy'))
  t.equal(steps, 10)
  for (const number of [1, 2, 3, 4, 5]) await step(number)

  await step(6, 0, 1)
  await choosePassword(visitorAt(issuer), await linkFor(smtp, 'ada@example.com'))
  await step(6, 1)
  await step(7)
  const printed = await step(8, 0, 1)
  await step(8, 1)
  await step(9, 0, 1)
  await use({ issuer, printed, invitation: await linkFor(smtp, 'eve@example.com') })
  await step(9, 1)
  await step(10)
  t.equal((await fetch(`${issuer}/.well-known/jwks.json`)).status, 200, 'all is up again')
}

/** What the invited eve does with an application that has no page of its own: it is her sign-in that counts. */
export async function useShop(t: Test, origin: string, { issuer, printed, invitation }: ShopOfPage) {
  t.equal(settingIn(printed, 'ISSUER_BASE_URL'), issuer)
  t.equal(settingIn(printed, 'BASE_URL'), origin)
  const eve = { browser: visitorAt(issuer), username: 'eve', password: NEW_PASSWORD }
  const arrived = asPage(await choosePassword(eve.browser, invitation, eve.username))
  t.match(arrived.text, `href="${origin}"`, 'the way on to the application')
  const { claims } = await signInAtShop(issuer, printed, eve)
  t.equal(claims?.email, 'eve@example.com', 'the invited person is signed in at the application')
}

/** Opens a link of a mail, and sends the form of its page with a new password, and a username if it asks for one. */
export async function choosePassword(browser: Visitor, url: string, username = '') {
  const page = await browser.page(pathOf(url))
  const name = page.text.includes('name="username"') ? { username } : {}
  return browser.submit(page, { ...name, password: NEW_PASSWORD })
}

/** The link of the last mail to somebody. */
async function linkFor({ mails }: SmtpPlace, address: string): Promise<string> {
  const found = () => mails.findLast(({ to, raw }) => to.includes(address) && /link=/.test(textOf({ raw })))
  await until(`a link for ${address}`, () => found() !== undefined)
  const mail = found()
  return /http:\/\/\S+link=\S+/.exec(mail ? textOf(mail) : '')?.[0] ?? 'none:'
}
