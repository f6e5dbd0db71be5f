// Runs docs/production.md as it is, but for ports and addresses: real Redis, two replicas, HAProxy, an SMTP server.
import { chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { NEW_PASSWORD } from './accounts.ts'
import { settingIn, signInAtShop } from './flows/shop.ts'
import { visitorAt } from './flows/visitor-at.ts'
import { blocks, readText, section } from './markdown.ts'
import { paste } from './paste.ts'
import { freePort, nodeArgs, ROOT } from './process.ts'
import { startRedis } from './redis-server.ts'
import { pathOf } from './scene/requests.ts'
import { type SmtpPlace, startSmtp, textOf } from './smtp.ts'
import { until } from './until.ts'
import { asPage, type Visitor } from './visitor.ts'

const PAGE = await readText('docs/production.md')
const STEPS = [...PAGE.matchAll(/^## (\d+\. .*)$/gm)].map(([, heading = '']) => heading)

/** Where the command and `deploy/` come from. */
export interface InstalledRedmint {
  /** The command, as words of a shell. */
  readonly command: readonly string[]
  /** The folder that has `deploy/`. */
  readonly folder: string
}

const CLONE: InstalledRedmint = { command: [process.execPath, ...nodeArgs('cli.ts')], folder: ROOT }

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
  installed = CLONE,
): Promise<void> {
  const [redis, smtp] = [await startRedis(t), await startSmtp(t)]
  const [bind = 0, first = 0, second = 0, door = 0, door_2 = 0, drill = 0] = [
    ...[await freePort(), await freePort(), await freePort()],
    ...[await freePort(), await freePort(), await freePort()],
  ]
  const issuer = `http://localhost:${bind}`
  const step = await prepare(t, installed, [
    [/https:\/\/auth\.example\.com/g, issuer],
    // The way on to an application is https.
    ...(origin.startsWith('https:') ? [] : ([[/ --client-uri \S+| --client shop/g, '']] as const)),
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
  ])
  t.equal(STEPS.length, 10)
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

/** A folder with the command and deploy/, and what the page runs in it: processes of its own end with the test. */
async function prepare(
  t: Test,
  { command, folder: from }: InstalledRedmint,
  replaced: readonly (readonly [RegExp, string])[],
) {
  const folder = t.testdir({ bin: {} })
  await symlink(join(from, 'deploy'), join(folder, 'deploy'))
  const words = command.map((word) => `'${word}'`).join(' ')
  // The ports of a test need no root.
  for (const [name, program] of Object.entries({ redmint: `exec ${words}`, sudo: 'exec' })) {
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${program} "$@"\n`)
    await chmod(join(folder, 'bin', name), 0o755)
  }
  t.teardown(async () => {
    const pids = (await readdir(folder)).filter((name) => name.endsWith('.pid'))
    for (const name of pids) {
      try {
        process.kill(Number(await readFile(join(folder, name), 'utf8')), 'SIGKILL')
      } catch {}
    }
  })
  const here = (text: string) => replaced.reduce((some, [from, to]) => some.replace(from, to), text)
  const begin = [
    `cd '${folder}'`,
    `PATH='${folder}/bin':$PATH:/usr/sbin`,
    '[ ! -e redmint.env ] || { set -a; . ./redmint.env; . ./redmint.secrets.env; set +a; }',
    '',
  ].join('\n')
  const outputs = new Map<number, string>()
  const printedBy = (step: number) => outputs.get(step) ?? ''
  /** Runs the commands of a step, and compares what they print with the page. @param from the first block */
  return async (step: number, from = 0, to?: number) => {
    const text = section(PAGE, STEPS[step - 1] ?? '')
    const commands = blocks(text, 'sh').slice(from, to).map(here)
    t.not(commands.length, 0, `step ${step} has commands`)
    // No proxy waits long, and the SMTP server of the test speaks no TLS.
    const environment = { SHUTDOWN_DELAY: '1', SMTP_TLS: 'off', LOG_LEVEL: 'warn' }
    const shell = await paste(t, begin + commands.join('\n'), environment)
    const { code } = await shell.ended
    t.equal(code, 0, `step ${step} ends well`)
    if (code !== 0) t.comment(shell.stdout + shell.stderr)
    outputs.set(step, printedBy(step) + shell.stdout)
    if (to === undefined)
      for (const line of blocks(text, 'text').flatMap((block) => here(block).trimEnd().split('\n')))
        t.ok(patternOf(line).test(printedBy(step)), `step ${step} prints ${line}`)
    return shell.stdout
  }
}

/** A line of the page, in which "…" stands for anything, and a space for any number. */
const patternOf = (line: string) =>
  new RegExp(
    line
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ +/g, ' +'))
      .join('.*'),
  )

/** The link of the last mail to somebody. */
async function linkFor({ mails }: SmtpPlace, address: string): Promise<string> {
  const found = () => mails.findLast(({ to, raw }) => to.includes(address) && /link=/.test(textOf({ raw })))
  await until(`a link for ${address}`, () => found() !== undefined)
  const mail = found()
  return /http:\/\/\S+link=\S+/.exec(mail ? textOf(mail) : '')?.[0] ?? 'none:'
}
