// "A mail is on its way" holds also if the server is killed with the answer: another one makes the mail.
import t from 'tap'
import { startServer } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { startSmtp } from '../../../support/smtp.ts'
import { until } from '../../../support/until.ts'

t.test('what was asked for before kill -9 is done by another server', async (t) => {
  const [redis, smtp] = [await startRedis(t), await startSmtp(t, { hideSTARTTLS: true })]
  const environment = {
    REDIS_URL: redis.url,
    ISSUER: 'http://localhost:3999',
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    SMTP_TLS: 'off',
    MAIL_FROM: 'login@example.com',
    SIGN_UP: 'open',
    DEMO: 'false',
  }
  const first = await startServer(t, environment)
  await startServer(t, environment)
  await redis.cli(
    'HSET',
    'redmint:user:ann',
    'sub',
    'a',
    'email',
    'ann@example.org',
    'email_verified',
    'true',
  )
  const ask = async (path: string, form: Record<string, string>) => {
    const answer = await fetch(first.address + path, { method: 'POST', body: new URLSearchParams(form) })
    return answer.status
  }
  const asked = Promise.all([
    ask('/forgot-password', { username: 'ann' }),
    ask('/sign-up', { email: 'new@example.net' }),
  ])
  t.strictSame(await asked, [200, 200])
  process.kill(first.pid, 'SIGKILL')
  const arrived = () => new Set(smtp.mails.flatMap(({ to }) => to))
  await until('both mails arrive', () => arrived().size === 2)
})
