// npm passes a signal on to the shell that it runs a script in, and that shell does not pass it on.
import t from 'tap'
import { isRefused } from '../../../support/half-sent.ts'
import { freePort, run } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { until } from '../../../support/until.ts'

for (const WORKERS of ['1', '2']) {
  t.test(`WORKERS=${WORKERS}: SIGTERM to \`npm start\` ends the server`, async (t) => {
    const redis = await startRedis(t)
    const port = await freePort()
    const environment = { PORT: String(port), REDIS_URL: redis.url, DEMO: 'false', WORKERS }
    const npm = run(t, 'npm', ['start'], environment)
    t.ok(await npm.prints(/Server listening/), npm.stdout + npm.stderr)
    npm.stop()
    await until('nothing listens', () => isRefused(port))
    await npm.ended
    t.match(npm.stdout, /SIGTERM: no longer ready, closing/)
  })
}
