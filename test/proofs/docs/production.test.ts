// Runs docs/production.md, step by step: real Redis, two replicas, HAProxy, an SMTP server, people and an application.
import { chmod, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as client from 'openid-client'
import t, { type Test } from 'tap'
import { NEW_PASSWORD } from '../../support/accounts.ts'
import { visitorAt } from '../../support/flows/visitor-at.ts'
import { blocks, readText, section } from '../../support/markdown.ts'
import { newRequest } from '../../support/openid-client.ts'
import { paste } from '../../support/paste.ts'
import { freePort, nodeArgs, ROOT } from '../../support/process.ts'
import { startRedis } from '../../support/redis-server.ts'
import { pathOf } from '../../support/scene/requests.ts'
import { type SmtpPlace, startSmtp, textOf } from '../../support/smtp.ts'
import { until } from '../../support/until.ts'
import { asDeparture, asPage, type Visitor } from '../../support/visitor.ts'

t.setTimeout(300_000)

const PAGE = await readText('docs/production.md')
const STEPS = [...PAGE.matchAll(/^## (\d+\. .*)$/gm)].map(([, heading = '']) => heading)
/** The application says that it is at this address. */
const APP = 'https://shop.example.com'

/** A folder with the command and deploy/, and what the page runs in it: processes of its own end with the test. */
async function prepare(t: Test, replaced: readonly (readonly [RegExp, string])[]) {
  const folder = t.testdir({ bin: {} })
  await symlink(join(ROOT, 'deploy'), join(folder, 'deploy'))
  const words = [process.execPath, ...nodeArgs('cli.ts')].map((word) => `'${word}'`).join(' ')
  await writeFile(join(folder, 'bin', 'redmint'), `#!/bin/sh\nexec ${words} "$@"\n`)
  await chmod(join(folder, 'bin', 'redmint'), 0o755)
  t.teardown(async () => {
    const pids = (await readdir(folder)).filter((name) => name.endsWith('.pid'))
    for (const name of pids) {
      try {
        process.kill(Number(await readFile(join(folder, name), 'utf8')), 'SIGKILL')
      } catch {}
    }
  })
  const here = (text: string) => replaced.reduce((some, [from, to]) => some.replace(from, to), text)
  const first = [
    `cd '${folder}'`,
    `PATH='${folder}/bin':$PATH:/usr/sbin`,
    '[ ! -e redmint.env ] || { set -a; . ./redmint.env; . ./redmint.secrets.env; set +a; }',
    '',
  ].join('\n')
  /** Runs the commands of a step, and compares what they print with the page. @param from the first block */
  return async (step: number, from = 0, to?: number) => {
    const text = section(PAGE, STEPS[step - 1] ?? '')
    const commands = blocks(text, 'sh').slice(from, to).map(here)
    t.not(commands.length, 0, `step ${step} has commands`)
    // No proxy waits long, and the SMTP server of the test speaks no TLS.
    const environment = { SHUTDOWN_DELAY: '1', SMTP_TLS: 'off', LOG_LEVEL: 'warn' }
    const shell = await paste(t, first + commands.join('\n'), environment)
    t.match(await shell.ended, { code: 0 }, `step ${step}: ${shell.stdout}${shell.stderr}`)
    if (to === undefined)
      for (const line of blocks(text, 'text').flatMap((block) => here(block).trimEnd().split('\n')))
        t.match(`${printed(step)}${shell.stdout}`, patternOf(line), `step ${step} prints ${line}`)
    outputs.set(step, printed(step) + shell.stdout)
    return shell.stdout
  }
}

const outputs = new Map<number, string>()
const printed = (step: number) => outputs.get(step) ?? ''

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

/** Sends the form of a page of links with a new password, and a username if it asks for one. */
async function choose(browser: Visitor, url: string, username: string) {
  const page = await browser.page(pathOf(url))
  const name = page.text.includes('name="username"') ? { username } : {}
  return browser.submit(page, { ...name, password: NEW_PASSWORD })
}

t.test('from an empty machine to an invited person who signs in at an application', async (t) => {
  const [redis, smtp] = [await startRedis(t), await startSmtp(t)]
  const [bind = 0, first = 0, second = 0, door = 0, door_2 = 0, drill = 0] = [
    ...[await freePort(), await freePort(), await freePort()],
    ...[await freePort(), await freePort(), await freePort()],
  ]
  const issuer = `http://localhost:${bind}`
  const step = await prepare(t, [
    [/https:\/\/auth\.example\.com/g, issuer],
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
  const ada = visitorAt(issuer)
  await choose(ada, await linkFor(smtp, 'ada@example.com'), 'ada')
  await step(6, 1)
  await step(7)

  const settings = await step(8)
  const setting = (name: string) => new RegExp(`^ *${name}="([^"]*)"`, 'm').exec(settings)?.[1] ?? ''
  t.equal(setting('ISSUER_BASE_URL'), issuer)
  t.equal(setting('BASE_URL'), APP)

  await step(9, 0, 1)
  const eve = visitorAt(issuer)
  await choose(eve, await linkFor(smtp, 'eve@example.com'), 'eve')
  const shop = await client.discovery(
    new URL(issuer),
    setting('CLIENT_ID'),
    setting('CLIENT_SECRET'),
    undefined,
    {
      execute: [client.allowInsecureRequests],
    },
  )
  const { checks, parameters } = await newRequest(`${APP}/callback`, 'openid profile email')
  const asked = client.buildAuthorizationUrl(shop, parameters)
  let answer = await eve.open(pathOf(asked))
  if (!('location' in answer) && answer.text.includes('name="password"'))
    answer = await eve.submit(answer, { username: 'eve', password: NEW_PASSWORD })
  if (!('location' in answer)) answer = await eve.submit(asPage(answer), { decision: 'allow' })
  const tokens = await client.authorizationCodeGrant(shop, asDeparture(answer).location, checks)
  t.equal(tokens.claims()?.email, 'eve@example.com', 'the invited person is signed in at the application')
  await step(9, 1)
  await step(10)
  t.equal((await fetch(`${issuer}/.well-known/jwks.json`)).status, 200, 'all is up again')
})
