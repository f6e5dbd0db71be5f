// The pages of docs/testing/ that need no packages of others: playwright.md in a browser, with what it uses of Playwright's runner,
// and github-actions.md, whose commands a shell runs. test/foreign/testing.foreign.ts has the others.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import * as client from 'openid-client'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { startRedmint } from '../../../exports/testing.ts'
import { DEMO_WEB } from '../../../src/demo/demo-clients.ts'
import { startBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/build.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { newRequest } from '../../support/openid-client.ts'
import { freePort, nodeArgs, run } from '../../support/process.ts'

t.setTimeout(300_000)

t.test('playwright.md: people are signed in with a page and without one', async (t) => {
  const page = await readText('docs/testing/playwright.md')
  const [spec = ''] = blocks(page, 'js')
  const port = await freePort()
  const app = await startApplication(t, `http://localhost:${port}`)
  const body = spec.replace(/^import .*\n/gm, '').replace('port: 3000', `port: ${port}`)
  const { runner, tests, runHooks } = runnerOf()
  const expect = (locator: Locator) => ({ toBeVisible: () => locator.waitFor() })
  const names = ['expect', 'test', 'startRedmint', 'process']
  new Function(...names, body)(expect, runner, startRedmint, { env: { APP_URL: app } })
  t.equal(tests.size, 3)
  const browser = await startBrowser(t)
  t.teardown(() => runHooks('afterAll'))
  await runHooks('beforeAll')
  for (const [name, walk] of tests) {
    const visitor = await browser.welcome()
    await t.resolves(walk(visitor), name)
    await visitor.context.close()
    await runHooks('afterEach')
  }
})

type Hook = () => unknown
type HookName = 'beforeAll' | 'afterEach' | 'afterAll'
type Walk = (given: { page: Page; context: BrowserContext }) => Promise<void>

/** What the page uses of Playwright's runner. */
function runnerOf() {
  const tests = new Map<string, Walk>()
  const hooks: Record<HookName, Hook[]> = { beforeAll: [], afterEach: [], afterAll: [] }
  const adds = (name: HookName) => (hook: Hook) => hooks[name].push(hook)
  const runner = Object.assign((name: string, walk: Walk) => tests.set(name, walk), {
    beforeAll: adds('beforeAll'),
    afterEach: adds('afterEach'),
    afterAll: adds('afterAll'),
  })
  const runHooks = async (name: HookName) => {
    for (const hook of hooks[name]) await hook()
  }
  return { runner, tests, runHooks }
}

/** An application that greets whoever signs in. @returns its address */
async function startApplication(t: Test, issuer: string): Promise<string> {
  const attempts = new Map<string, client.AuthorizationCodeGrantChecks>()
  const origin = `http://localhost:${await freePort()}`
  let found: Promise<client.Configuration> | undefined
  const configuration = () => {
    found ??= client.discovery(new URL(issuer), DEMO_WEB.client_id, DEMO_WEB.client_secret, undefined, {
      execute: [client.allowInsecureRequests],
    })
    return found
  }
  const answer = async (url: URL): Promise<string | URL> => {
    const shop = await configuration()
    if (url.pathname !== '/callback') {
      const { checks, parameters } = await newRequest(`${origin}/callback`, 'openid profile')
      attempts.set(parameters.state, checks)
      return client.buildAuthorizationUrl(shop, parameters)
    }
    const checks = attempts.get(url.searchParams.get('state') ?? '')
    const tokens = await client.authorizationCodeGrant(shop, url, checks)
    const { name } = await client.fetchUserInfo(shop, tokens.access_token, tokens.claims()?.sub ?? '')
    return `Hello ${name}`
  }
  const server = createServer(async (request, response) => {
    const said = await answer(new URL(request.url ?? '', origin)).catch(() => 'Try again')
    if (said instanceof URL) response.writeHead(302, { location: said.href }).end()
    else
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<link rel="icon" href="data:,">${said}`)
  })
  server.listen(Number(new URL(origin).port))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return origin
}

t.test('github-actions.md: a step starts the server, and the next ones can reach it', async (t) => {
  const workflows = blocks(await readText('docs/testing/github-actions.md'), 'yaml').map((text) =>
    parse(text),
  )
  t.equal(workflows.length, 2)
  for (const { on, permissions, jobs } of workflows) {
    t.ok(on)
    t.same(permissions, { contents: 'read' })
    for (const step of jobs.test.steps) t.equal(Number('run' in step) + Number('uses' in step), 1)
  }
  const [, { jobs }] = workflows
  const started = jobs.test.steps.find(({ name }: { name?: string }) => name === 'A server to test against')
  const folder = await temporaryFolder(t, 'actions')
  const [file, pid, bin] = [join(folder, 'env'), join(folder, 'pid'), join(folder, 'bin')]
  await mkdir(bin)
  const redmint = [process.execPath, ...nodeArgs('cli.ts')].map((word) => `'${word}'`).join(' ')
  await writeFile(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = redmint ] || exit 64\nshift\necho $$ > '${pid}'\nexec ${redmint} "$@"\n`,
  )
  await chmod(join(bin, 'npx'), 0o755)
  const port = await freePort()
  const script = started.run.replaceAll('3000', String(port)).replace('--retry 60', '--retry 600')
  const environment = { PATH: `${bin}:${process.env.PATH}`, GITHUB_ENV: file }
  // As the runner of GitHub calls it.
  const step = run(t, 'bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], environment, folder)
  const { code } = await step.ended
  t.teardown(async () => process.kill(Number(await readFile(pid, 'utf8'))))
  t.equal(code, 0, step.stderr)
  const set = Object.fromEntries(
    [...(await readFile(file, 'utf8')).matchAll(/^(\w+)=(.*)$/gm)].map(([, ...pair]) => pair),
  )
  const answer = await fetch(`${set.ISSUER}/dev/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${set.REDMINT_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client: 'demo-spa', user: 'alice' }),
  })
  t.equal(answer.status, 200)
})
