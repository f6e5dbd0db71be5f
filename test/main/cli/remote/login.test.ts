import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startAtServer } from '../../../support/cli/remote/at-server.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { answerDevice } from '../../../support/device.ts'

/** A server, and the command of an operator who answers the page of the sign-in while the command waits. */
async function startWithOperator(t: Test, decision: 'allow' | 'deny' = 'allow') {
  const server = await startAtServer(t)
  const { issuer, config } = server
  const visitor = server.visitor()
  let shown = ''
  const answer = async () => {
    const [, page] = /Open (\S+)\n/.exec(shown) ?? []
    shown = ''
    if (page !== undefined) await answerDevice(visitor, page, decision)
  }
  const onStderr = (text: string) => {
    shown += text
  }
  const file = join(config, 'redmint', 'credentials.json')
  const command = server.elsewhere({}, { wait: answer, onStderr })
  return {
    ...server,
    command,
    file,
    login: (...flags: string[]) => command(['login', '--server', issuer, ...flags]),
    sessions: () => command(['user', 'sessions', 'alice', '--server', issuer]),
    kept: async () => JSON.parse(await readFile(file, 'utf8'))[issuer],
  }
}

t.test('an administrator signs in by a page, works, and signs out', async (t) => {
  const { issuer, host, elsewhere, command, login, sessions, file, kept } = await startWithOperator(t)
  t.match(await host(['admin', 'grant', 'alice', '--scope', 'redmint:users:read']), { code: 0 })
  t.match(await sessions(), { code: 1, stderr: `You are not signed in at ${issuer}.\nRun redmint login` })
  const signed_in = await login()
  t.match(signed_in, { code: 0, stdout: `You are signed in at ${issuer}.`, stderr: /Open .*\n.*code/ })

  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.equal((await stat(join(file, '..'))).mode & 0o777, 0o700)
  const { access_token: first } = await kept()
  t.notMatch(signed_in.stdout + signed_in.stderr, first)

  t.match(await sessions(), { code: 0, stdout: /BROWSER/ })
  t.match(await command(['session', 'end', 'alice', '--all', '--server', issuer]), {
    code: 1,
    stderr: /needs the scope redmint:users:write/,
  })

  const expired = { ...(await kept()), expires_at: Date.now() }
  await writeFile(file, JSON.stringify({ [issuer]: expired }))
  t.match(await sessions(), { code: 0 })
  const { access_token: renewed } = await kept()
  t.not(renewed, first, 'the token is renewed')

  t.match(await command(['logout', '--server', issuer]), { code: 0, stdout: /You are signed out/ })
  t.equal(await kept(), undefined)
  const with_it = elsewhere({ REDMINT_TOKEN: renewed, REDMINT_SERVER: issuer })
  t.match(await with_it(['user', 'sessions', 'alice']), { code: 1, stderr: /refuses the token/ })
  t.match(await command(['logout', '--server', issuer]), { code: 0, stdout: /You were not signed in/ })
})

t.test('a person without rights is told so, and keeps no token', async (t) => {
  const { host, login, sessions, file } = await startWithOperator(t)
  await host(['admin', 'grant', 'bob'])
  t.match(await login(), { code: 1, stderr: /You have no right at this API/ })
  await t.rejects(stat(file))
  t.match(await sessions(), { code: 1, stderr: /You are not signed in/ })
  t.match(await host(['user', 'grants', 'alice', '--json']), { stdout: '{"items":[]}' }, 'it is revoked')
  await host(['admin', 'grant', 'alice', '--scope', 'redmint:users:read'])
  t.match(await login('--scope', 'redmint:write'), { code: 1, stderr: /none of those that --scope asks for/ })
  t.match(await login('--scope', 'redmint:read'), { code: 0 })
})

t.test('a sign-in that is refused leaves nothing', async (t) => {
  const { issuer, host, login, elsewhere, file } = await startWithOperator(t, 'deny')
  t.match(await login(), { code: 1, stderr: /The server refused the sign-in/ }, 'nobody is an administrator')
  await host(['admin', 'grant', 'alice'])
  t.match(await login(), { code: 1, stderr: /There is no sign-in/ })
  await t.rejects(stat(file))
  let ahead = 0
  const slow = elsewhere({}, { now: () => Date.now() + ahead, wait: async () => (ahead += 3_600_000) })
  t.match(await slow(['login', '--server', issuer]), { code: 1, stderr: /Nobody signed in in time/ })
})

t.test('a token goes to no other server than the one that it is for', async (t) => {
  const { issuer, host, login, elsewhere } = await startWithOperator(t)
  await host(['admin', 'grant', 'alice'])
  await login()
  const seen: unknown[] = []
  const thief = createServer(({ headers }, response) => {
    seen.push(headers.authorization)
    const place = `${issuer}/.well-known/oauth-protected-resource/admin/v1`
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${place}"` }).end()
  }).listen(0, '127.0.0.1')
  t.teardown(() => thief.close())
  await once(thief, 'listening')
  const there = `http://127.0.0.1:${(thief.address() as { port: number }).port}`
  const command = elsewhere()
  t.match(await command(['login', '--server', there]), {
    code: 1,
    stderr: `If tokens of it may be sent to ${there}, give --issuer ${issuer}.`,
  })
  t.match(await command(['user', 'sessions', 'alice', '--server', there]), {
    code: 1,
    stderr: /not signed in/,
  })
  t.same(seen, [undefined, undefined], 'and the question whether it is in demo mode')
})

t.test('a server without the API, and one that does not answer', async (t) => {
  const { issuer } = await startAtServer(t, { admin_api: 'off' })
  const { redmint } = createCli({ environment: { REDMINT_TOKEN: 'a token' } })
  t.match(await redmint(['login', '--server', issuer]), { code: 1, stderr: /no admin API. Set ADMIN_API=on/ })
  const sessions = ['user', 'sessions', 'alice', '--server']
  t.match(await redmint([...sessions, issuer]), { code: 1, stderr: /answers 404/ })
  t.match(await redmint([...sessions, 'http://127.0.0.1:1', '--json']), {
    code: 3,
    stderr: /^{"error":"http:\/\/127.0.0.1:1\/admin\/v1\/users\/alice\/sessions\?limit=200 did not answer/,
  })
})

t.test('addresses that a token is not sent to', async (t) => {
  const { redmint } = createCli({ environment: { REDMINT_TOKEN: 'a token' } })
  for (const [address, stderr] of [
    ['http://login.example.com', /must be https, or http on this machine/],
    ['https://alice:secret@login.example.com', /without user, query/],
    ['login.example.com', /must be an address such as/],
  ] as const) {
    t.match(await redmint(['login', '--server', address]), { code: 2, stderr })
    t.match(await redmint(['user', 'sessions', 'alice', '--server', address]), { code: 2, stderr })
  }
})

t.test('demo mode on this machine needs no sign-in', async (t) => {
  const { issuer, elsewhere } = await startAtServer(t, { demo: true })
  const command = elsewhere()
  t.match(await command(['user', 'list', '--server', issuer]), { code: 0, stdout: /alice/ })
  t.match(await command(['client', 'disable', 'demo-service', '--server', issuer]), { code: 0 })
  const other = issuer.replace('localhost', '127.0.0.1')
  t.not(other, issuer)
  t.match(await command(['user', 'list', '--server', other]), { code: 1, stderr: /You are not signed in/ })
  const remote = ['user', 'list', '--server', 'https://login.invalid']
  t.match(await command(remote), { code: 1, stderr: /You are not signed in/ }, 'nothing is sent')
})
