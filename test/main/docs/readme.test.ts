// Runs the commands of README.md, unchanged except for ports.
import t from 'tap'
import { demoCommands } from '../../../src/demo/demo-records.ts'
import { blocks, readText, section } from '../../support/markdown.ts'
import { jsonOf, paste } from '../../support/paste.ts'
import { startRedis } from '../../support/redis-server.ts'
import { startReady, visit } from '../../support/server.ts'
import { basic } from '../../support/service.ts'

const PAGE = await readText('README.md')
const TOKENS = ['access_token', 'refresh_token', 'id_token']

/** A response without its tokens, which differ each time. */
const withoutTokens = (answer: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, TOKENS.includes(name) ? '' : value]),
  )

t.test('every command of the page is run here', async (t) => {
  const tried = ['Start', 'First token', 'With Redis'].flatMap((heading) =>
    blocks(section(PAGE, heading), 'sh'),
  )
  t.equal(tried.length, PAGE.match(/^```sh$/gm)?.length)
})

t.test('first token: the commands that demo mode prints get the documented responses', async (t) => {
  const chapter = section(PAGE, 'First token')
  const commands = blocks(chapter, 'sh').join('')
  const printed = demoCommands({
    issuer: 'http://localhost:3000',
    demo: true,
    admin_api: 'on',
    console: 'on',
    sign_in: 'password',
  }).split('\n')
  t.equal(commands.trim(), printed.filter((line) => line !== '' && !line.startsWith('#')).join('\n'))

  // A slow machine makes its keys after it listens.
  const { port } = await startReady(t, {})
  const shell = await paste(t, commands.replaceAll(':3000', `:${port}`))
  t.match(await shell.ended, { code: 0 }, shell.stderr)
  const shown = jsonOf({ stdout: blocks(chapter, 'json').join('') })
  t.same(jsonOf(shell).map(withoutTokens), shown.map(withoutTokens))
})

t.test(
  'with Redis: a client that is registered by hand gets a token, with a secret of its own',
  async (t) => {
    const redis = await startRedis(t)
    const lines = (blocks(section(PAGE, 'With Redis'), 'sh')[0] ?? '').trim().split('\n')
    const start = /^(REDIS_URL)=(\S+) npm start$/.exec(lines.pop() ?? '')
    t.ok(start, 'the last line starts the service')

    const commands = lines.join('\n').replaceAll('redis-cli ', `redis-cli -p ${redis.port} `)
    const shell = await paste(t, commands, { SECRET: '' })
    t.match(await shell.ended, { code: 0 }, shell.stderr)
    const secret = /[0-9a-f]{64}/.exec(shell.stdout)?.[0] ?? ''

    const { address } = await startReady(t, {
      REDIS_URL: (start?.[2] ?? '').replace('6379', String(redis.port)),
    })
    const ask = (secret: string) =>
      visit(address).token({ grant_type: 'client_credentials' }, basic('billing', secret))
    t.match((await ask(secret)).json, { scope: 'api.read', access_token: String })
    t.match((await ask('')).json, { error: 'invalid_client' })
  },
)
