// `redmint serve` starts the server of server.ts.
import t from 'tap'
import { nodeArgs, ROOT, run, startServer } from '../../support/process.ts'

const SERVE = { args: [...nodeArgs('cli.ts'), 'serve'], cwd: ROOT }
const SERVER = { args: nodeArgs('server.ts'), cwd: ROOT }

t.test('it listens, logs the same, and exits with 0 at SIGTERM', async (t) => {
  const logged = []
  for (const entry of [SERVE, SERVER]) {
    const server = await startServer(t, { DEMO: 'false' }, entry)
    await server.prints(/forgotten/)
    t.equal((await fetch(`${server.address}/health`)).status, 200)
    t.same(await server.stop(), { code: 0, signal: null })
    t.equal(server.stderr, '')
    const lines = server.stdout.replaceAll(String(server.port), 'PORT').trim().split('\n')
    logged.push(lines.map((line) => JSON.parse(line).msg).filter((msg) => !msg.startsWith('request')))
  }
  t.same(logged[0], logged[1])
})

t.test('a wrong configuration is reported like by the server, with exit code 1', async (t) => {
  const outcomes = []
  for (const { args } of [SERVE, SERVER]) {
    const server = run(t, process.execPath, args, { PORT: '70000', ISSUER: 'nowhere' })
    outcomes.push([await server.ended, server.stdout, server.stderr])
  }
  t.match(outcomes[0], [{ code: 1 }, '', /^The configuration has 2 problems:/])
  t.same(outcomes[0], outcomes[1])
})
