import { randomBytes } from 'node:crypto'
import t from 'tap'
import { VERSION } from '../../../../src/core/version.ts'
import { DEMO_APP, DEMO_SERVICE } from '../../../../src/demo/demo-clients.ts'
import { demoCommands } from '../../../../src/demo/demo-records.ts'
import { DEMO_PASSWORD, DEMO_USER } from '../../../../src/demo/demo-user.ts'
import { OLD_NODE } from '../../../support/old-node.ts'
import { jsonOf, paste } from '../../../support/paste.ts'
import { freePort, nodeArgs, type Program, run, runServer, startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { startReady, visit } from '../../../support/server.ts'
import { bearer } from '../../../support/service.ts'

interface LogLine {
  level: number
  time: number
  msg: string
  reqId?: string
}

/**
 * Its output as JSON, line by line, without the one about the Node of this machine. A line that is not JSON fails the
 * test.
 */
function readLog({ stdout }: Program): LogLine[] {
  return stdout
    .trim()
    .split('\n')
    .map((line): LogLine => JSON.parse(line))
    .filter(({ msg }) => !OLD_NODE.test(msg))
}

t.test('demo mode prints commands that can be pasted', async (t) => {
  const program = await startReady(t)
  const issuer = `http://localhost:${program.port}`
  const server = visit(issuer)
  const commands = demoCommands({ issuer, demo: true, admin_api: 'on', console: 'on', sign_in: 'password' })
  await program.prints(/\/userinfo\n/)
  t.ok(program.stdout.includes(commands), program.stdout)

  const shell = await paste(t, commands)
  t.same(await shell.ended, { code: 0, signal: null })
  t.equal(shell.stderr, '')
  const [service, user, resource, userinfo, sessions, ...more] = jsonOf(shell)

  t.match(service, { token_type: 'Bearer', expires_in: 900, scope: 'api.read api.write' })
  t.notOk(service?.refresh_token ?? service?.id_token)
  t.match((await server.api(String(service?.access_token))).json, { subject: '' })
  t.match(user, { scope: 'openid api.read', refresh_token: String, id_token: String })
  t.match((await server.get('/userinfo', bearer(String(user?.access_token)))).json, { sub: DEMO_USER })
  t.match(resource, { message: String, subject: DEMO_USER })
  t.same(userinfo, { sub: DEMO_USER })
  t.same(sessions, { items: [] })
  t.same(more, [])

  const page = /open (http\S+) and/.exec(commands)?.[1] ?? ''
  t.match(await (await fetch(page)).text(), 'Try a sign-in')
  t.match(commands, `is at ${issuer}/console`)
  t.match(commands, `sign in as ${DEMO_USER} with the password ${DEMO_PASSWORD}.`)
})

t.test(
  'the log is JSON, describes the set-up in one line, warns about memory storage, and has request ids',
  async (t) => {
    const server = await startServer(t, { DEMO: 'false', LOG_LEVEL: 'trace' })
    await server.prints(/forgotten/)
    const { get, token } = visit(server.address)
    await get('/health')
    await get('/oauth2/authorize?client_id=nobody')
    await token({ grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'nothing' })
    await server.stop()

    const log = readLog(server)
    for (const line of log) t.match(line, { level: Number, time: Number, msg: String })
    const about = log.filter(({ msg }) => msg.startsWith('redmint'))
    const msg = `redmint ${VERSION}: issuer http://localhost:${server.port}, storage memory, access tokens opaque, demo mode off`
    t.match(about, [{ level: 30, msg }])
    const warnings = log.filter(({ level }) => level === 40)
    t.match(warnings, [{ msg: /memory.*forgotten at exit.*REDIS_URL/ }])
    t.notMatch(server.stdout, 'curl ', 'no commands outside demo mode')
    const requests = log.filter(({ msg }) => msg === 'request completed')
    t.equal(new Set(requests.map(({ reqId }) => reqId)).size, 3)
  },
)

t.test('in production on Redis: no demo mode by default, no warning, no password', async (t) => {
  const redis = await startRedis(t, { args: ['--requirepass', 'hunter2'] })
  const server = await startServer(t, {
    NODE_ENV: 'production',
    REDIS_URL: redis.url.replace('://', '://:hunter2@'),
    ISSUER: 'https://auth.example.com',
    ACCESS_TOKEN_FORMAT: 'jwt',
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    TOKENS_AT_REST: 'hashed',
  })
  await server.prints(/demo mode/)

  const log = readLog(server)
  const line = `redmint ${VERSION}: issuer https://auth.example.com, storage Redis at 127.0.0.1:${redis.port}, access tokens jwt, demo mode off`
  t.equal(log.filter(({ msg }) => msg === line).length, 1)
  t.same(
    log.filter(({ level }) => level > 30),
    [],
  )
  t.notMatch(server.stdout, 'hunter2')
  const { authorize, token } = visit(server.address)
  t.equal(
    (await authorize({ client_id: DEMO_APP.client_id, redirect_uri: DEMO_APP.redirect_uri })).get('code'),
    null,
    'no demo user',
  )
  const { client_id, client_secret } = DEMO_SERVICE
  const answer = await token({ grant_type: 'client_credentials', client_id, client_secret })
  t.equal(answer.status, 401, 'no demo clients')
})

t.test('what is unsafe is logged once at start, each with what to do', async (t) => {
  const { url } = await startRedis(t)
  const warningsOf = async (environment: Record<string, string>, last: RegExp) => {
    const server = await startServer(t, environment)
    await server.prints(last)
    await server.stop()
    const lines = server.stdout.split('\n').filter((line) => line.startsWith('{'))
    return lines
      .map((line): LogLine => JSON.parse(line))
      .filter(({ level, msg }) => level === 40 && !msg.startsWith('Redis') && !OLD_NODE.test(msg))
      .map(({ msg }) => msg)
  }
  const production = { NODE_ENV: 'Production', REDIS_URL: url, ISSUER: 'https://auth.example.com' }
  t.match(await warningsOf(production, /TOKENS_AT_REST/), [/Set KEY_ENCRYPTION_KEY/, /Set TOKENS_AT_REST/])

  const misspelled = { REDIS_URLL: url, ISUER: 'https://auth.example.com' }
  t.match(await warningsOf({ DEMO: 'public', HOST: '0.0.0.0', ...misspelled }, /Demo mode is public/), [
    /REDIS_URLL .*did you mean REDIS_URL\?/,
    /ISUER .*did you mean ISSUER\?/,
    /Storage is memory/,
    /Demo mode is public/,
  ])
})

t.test('leftovers of demo mode are named at start, with what removes them', async (t) => {
  const { url, cli } = await startRedis(t)
  const demo = await startServer(t, { DEMO: 'true', REDIS_URL: url })
  await demo.prints(/userinfo/)
  t.notMatch(demo.stdout, 'is refused')
  await demo.stop()
  const refused = runServer(t, { DEMO: 'false', REDIS_URL: url, PORT: '0', ISSUER: 'http://localhost:3000' })
  t.match(await refused.ended, { code: 1 })
  t.match(refused.stderr, /has the records of demo mode: its signing key dev-.* remove the key signing-keys/)
  await cli('DEL', 'redmint:signing-keys')
  const server = await startServer(t, { DEMO: 'false', REDIS_URL: url })
  await server.prints(/user remove/)
  const found = readLog(server).filter(({ msg }) => msg.includes('demo mode is in storage'))
  t.match(found, [
    { level: 40, msg: /^The client "demo-service" .* Remove it: redmint client remove demo-service$/ },
    { level: 40, msg: /^The client "demo-app" .* Remove it: redmint client remove demo-app$/ },
    { level: 40, msg: /^The client "demo-page" .* Remove it: redmint client remove demo-page$/ },
    { level: 40, msg: /^The client "demo-device" .* Remove it: redmint client remove demo-device$/ },
    { level: 40, msg: /^The client "demo-web" .* Remove it: redmint client remove demo-web$/ },
    { level: 40, msg: /^The client "demo-spa" .* Remove it: redmint client remove demo-spa$/ },
    { level: 40, msg: /^The client "demo-admin" .* Remove it: redmint client remove demo-admin$/ },
    { level: 40, msg: /^The user "alice" .* Remove it: redmint user remove alice$/ },
  ])
})

t.test('the log is human-readable on a terminal, and always JSON in production', async (t) => {
  const show = async (environment: Record<string, string>) => {
    const command = `echo "process $$" && exec ${[process.execPath, ...nodeArgs('server.ts')].join(' ')}`
    const args =
      process.platform === 'linux' ? ['-qec', command, '/dev/null'] : ['-q', '/dev/null', 'sh', '-c', command]
    const PORT = String(await freePort())
    const terminal = run(t, 'script', args, { PORT, DEMO: 'false', ...environment })
    t.ok(await terminal.prints(/redmint \d/), terminal.stderr)
    process.kill(Number(/process (\d+)/.exec(terminal.stdout)?.[1]))
    t.match(await terminal.ended, { code: 0 })
    return terminal.stdout
  }
  t.match(await show({}), /INFO.*: .*redmint \d/)
  const { url } = await startRedis(t)
  t.match(await show({ NODE_ENV: 'production', REDIS_URL: url }), /^\{.*"msg":"redmint \d.*\}\r?$/m)
})
