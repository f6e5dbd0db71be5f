// Two issuers on one host behind HAProxy, configured as docs/issuer-path.md says: for one it keeps the path, for the other
// it removes it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { DEMO_PASSWORD, DEMO_USER } from '../../../../src/demo/demo-user.ts'
import { visitorAt } from '../../../support/flows/visitor-at.ts'
import { isRefused } from '../../../support/half-sent.ts'
import { blocks, readText } from '../../../support/markdown.ts'
import { freePort, run, startServer } from '../../../support/process.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const [keeps = '', strips = ''] = blocks(await readText('docs/issuer-path.md'), 'haproxy')

t.test('people sign in to both, and each keeps its own session', async (t) => {
  const port = await freePort()
  const host = `http://localhost:${port}`
  const auth = await startServer(t, { ISSUER: `${host}/auth` })
  const team = await startServer(t, { ISSUER: `${host}/team`, PROXY_STRIPS_PATH: 'true' })
  const toTeam = (text: string) => text.replaceAll(/\bauth\b/g, 'team')
  const routes = / {2}acl auth[\s\S]*? if auth\n/.exec(keeps)?.[0] ?? ''
  const configuration = [
    'defaults\n  mode http\n  timeout connect 1s\n  timeout client 30s\n  timeout server 30s\n',
    keeps
      .replace(':443 ssl crt /certificates/example.com.pem', `127.0.0.1:${port}`)
      .replace('10.0.0.5:3000', `127.0.0.1:${auth.port}`)
      .replace(routes, routes + toTeam(routes)),
    toTeam(strips).replace('10.0.0.5:3000', `127.0.0.1:${team.port}`),
  ].join('\n')
  const folder = await mkdtemp(join(tmpdir(), 'redmint-haproxy-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, configuration)
  const proxy = run(t, 'haproxy', ['-db', '-f', file], { PATH: `${process.env.PATH}:/usr/sbin` })
  await until('HAProxy listens', async () => {
    if (proxy.stderr.includes('ALERT')) throw new Error(`${proxy.stderr}\n${configuration}`)
    return !(await isRefused(port))
  })

  const browser = visitorAt(host)
  for (const path of ['/auth', '/team']) {
    for (const place of [
      `${path}/.well-known/openid-configuration`,
      `/.well-known/openid-configuration${path}`,
      `/.well-known/oauth-authorization-server${path}`,
    ]) {
      const { issuer } = (await (await fetch(host + place)).json()) as { issuer: string }
      t.equal(issuer, host + path, place)
    }
    const of_resource = `/.well-known/oauth-protected-resource${path}/api`
    t.match(await (await fetch(host + of_resource)).json(), { resource: `${host}${path}/api` })

    t.match((await browser.page(path)).text, `href="${path}/demo"`)
    const login = await browser.page(`${path}/demo/sign-in`)
    t.match(login.title, 'Sign in', `not signed in by the other one at ${path}`)
    const consent = asPage(await signInOn(browser, login, DEMO_USER, DEMO_PASSWORD))
    const tokens = asPage(await browser.submit(consent, { decision: 'allow' }))
    t.equal(tokens.title, 'These are your tokens')
    t.match(asPage(await browser.submit(tokens, { action: 'api' })).text, `GET ${path}/api/resource: 200`)
  }
  t.equal((await fetch(`${host}/authority`)).status, 503, 'the proxy passes on nothing else')
  t.match([...browser.cookies.keys()].filter((name) => name.includes('session')).sort(), [
    'redmint-session.auth',
    'redmint-session.team',
  ])
})
