// `redmint serve` starts the server of server.ts.
import t from 'tap'
import { ROOT, run, startServer } from '../support/process.ts'

// Starts several servers, and a machine may be slow.

const SERVE = { args: ['--import=tsx', 'cli.ts', 'serve'], cwd: ROOT }
const SERVER = { args: ['--import=tsx', 'server.ts'], cwd: ROOT }

t.test('it listens, says the same, and ends with exit code 0 at SIGTERM', async (t) => {
  const said = []
  for (const entry of [SERVE, SERVER]) {
    const server = await startServer(t, { DEMO: 'false' }, entry)
    await server.prints(/forgotten/)
    t.equal((await fetch(`${server.address}/health`)).status, 200)
    t.same(await server.stop(), { code: 0, signal: null })
    t.equal(server.stderr, '')
    const lines = server.stdout.replaceAll(String(server.port), 'PORT').trim().split('\n')
    said.push(lines.map((line) => JSON.parse(line).msg).filter((msg) => !msg.startsWith('request')))
  }
  t.same(said[0], said[1])
})

t.test('a configuration that is wrong is reported as by the server, with exit code 1', async (t) => {
  const endings = []
  for (const { args } of [SERVE, SERVER]) {
    const server = run(t, process.execPath, args, { PORT: '70000', ISSUER: 'nowhere' })
    endings.push([await server.ended, server.stdout, server.stderr])
  }
  t.match(endings[0], [{ code: 1 }, '', /^The configuration has 2 problems:/])
  t.same(endings[0], endings[1])
})
