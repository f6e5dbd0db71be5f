// `redmint doctor` about what goes on: mail, logout notices, lockouts, memory that grows, clocks of servers, the audit trail.
import t, { type Test } from 'tap'
import { clockFindings } from '../../../src/admin/doctor/clocks.ts'
import { growthFindings } from '../../../src/admin/doctor/growth.ts'
import { lockoutFindings } from '../../../src/admin/doctor/lockouts.ts'
import { logoutFindings } from '../../../src/admin/doctor/logouts.ts'
import { auditFinding } from '../../../src/audit/checks.ts'
import { readConfig } from '../../../src/config/config.ts'
import { SILENT } from '../../../src/core/log.ts'
import { noteLockout } from '../../../src/limits/lockouts.ts'
import { mailFindings } from '../../../src/mail/checks.ts'
import { claimMails, queueMail, replaceMail } from '../../../src/mail/mail-queue.ts'
import { RunningServer } from '../../../src/service/running-server.ts'
import { queueLogouts } from '../../../src/sessions/logout-queue.ts'
import type { ExaminedServer } from '../../../src/storage/examined-server.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { onRedis } from '../../support/matrix.ts'
import { freePort } from '../../support/process.ts'
import { startSmtp } from '../../support/smtp.ts'

const DAY = 86_400_000

const withSmtp = (url: string) =>
  readConfig({ ISSUER: 'https://auth.example.com', SMTP_URL: url, MAIL_FROM: 'login@example.com' }).settings

t.test('mail: the SMTP server is asked, and gets none', async (t) => {
  const storage = new MemoryStorage()
  const smtp = await startSmtp(t)
  const good = await mailFindings(storage, withSmtp(`smtp://localhost:${smtp.port}`), smtp.ca)
  t.match(good, [
    { level: 'ok', finding: /takes mail$/ },
    { level: 'ok', finding: 'none waits' },
  ])
  t.same([smtp.connections, smtp.mails.length], [1, 0])
  const [untrusted] = await mailFindings(storage, withSmtp(`smtp://localhost:${smtp.port}`))
  t.match(untrusted, { level: 'problem', finding: /certificate of localhost is not accepted/ })
  const [dead] = await mailFindings(storage, withSmtp(`smtp://localhost:${await freePort()}`))
  t.match(dead, { level: 'problem', finding: /takes no mail: .*ECONNREFUSED/ })
  const { settings } = readConfig({ ISSUER: 'https://auth.example.com' })
  t.match(await mailFindings(storage, settings), [
    { level: 'warning', finding: /is not set: nobody gets/, advice: /redmint mail test/ },
  ])
  for (const elsewhere of [
    { sign_in: 'provider:partner' },
    { forgot_password_url: 'https://app.example.com' },
  ])
    t.match(await mailFindings(storage, { ...settings, ...elsewhere }), [{ level: 'ok' }])
})

t.test('mail that is refused, or is tried again and again', async (t) => {
  const storage = new MemoryStorage()
  const smtp = await startSmtp(t)
  const find = async () =>
    (await mailFindings(storage, withSmtp(`smtp://localhost:${smtp.port}`), smtp.ca))[1]
  const queued = async (id: string, change: object) => {
    const mail = {
      ...({ id, kind: 'test', to: 'a@example.com', created_at: 1, ends_at: Date.now() + DAY } as const),
      ...({ attempts: 0, begun: 0, state: 'waiting', answer: '', sealed: '' } as const),
    }
    await queueMail(storage, mail)
    for (const claimed of await claimMails({ ...storage, queue: storage.queue, log: SILENT }, 10, 60))
      await replaceMail(storage, claimed, { ...claimed, ...change }, 600)
  }
  await queued('one', { attempts: 2 })
  t.match(await find(), { level: 'ok', finding: '1 mail on the way' })
  await queued('two', { attempts: 3 })
  await queued('three', { state: 'refused' })
  t.match(await find(), { level: 'warning', finding: '1 mail refused, 1 mail tried 3 times or more' })
})

t.test('logout notices that a client does not take', async (t) => {
  const storage = new MemoryStorage()
  t.match(await logoutFindings(storage), [{ level: 'ok', finding: 'none waits' }])
  const notice = { id: 'one', client_id: 'shop', sub: 'alice', sid: 'a-session', attempts: 2 }
  await queueLogouts(storage, [notice])
  t.match(await logoutFindings(storage), [{ level: 'ok', finding: '1 notice on the way' }])
  await queueLogouts(storage, [{ ...notice, id: 'two', attempts: 3 }])
  t.match(await logoutFindings(storage), [{ level: 'warning', finding: /^not taken by shop, tried 3 times/ }])
})

t.test('lockouts are counted by kind', async (t) => {
  const storage = new MemoryStorage()
  t.match(await lockoutFindings(storage), [{ level: 'ok' }])
  const note = (name: string, whom: Parameters<typeof noteLockout>[2]) =>
    noteLockout(storage, { group: 'sign-in', name }, whom, 60_000)
  await note('one', { counter: 'sign_in_user', username: 'alice' })
  await note('two', { counter: 'sign_in_address', address: '192.0.2.1' })
  await note('three', { counter: 'sign_in_address', address: '192.0.2.2' })
  t.match(await lockoutFindings(storage), [
    { level: 'warning', finding: 'locked out now: users: 1, addresses: 2', advice: /^redmint limits list/ },
  ])
})

const serverWith = (info: Record<string, string>) =>
  ({ name: 'redis:6379', info: new Map(Object.entries(info)) }) as unknown as ExaminedServer

onRedis(t, 'memory that grows is compared with another day', async (t, { storage }) => {
  const find = async (used: number, at: number, maxmemory = 0) =>
    (await growthFindings(storage, serverWith({ used_memory: `${used}`, maxmemory: `${maxmemory}` }), at))[0]
  const start = Date.now()
  const MIB = 2 ** 20
  t.match(await find(100 * MIB, start), { level: 'ok', finding: /^not known before/ })
  t.match(
    await find(900 * MIB, start + DAY / 2),
    { level: 'ok', finding: /^not known before/ },
    'the same day',
  )
  t.match(await find(120 * MIB, start + 2 * DAY), {
    level: 'ok',
    finding: '10.0 MiB a day, in the last 2 days',
  })
  t.match(await find(120 * MIB, start + 2 * DAY, 1020 * MIB), { level: 'ok', finding: /lasts for 90 days$/ })
  t.match(await find(120 * MIB, start + 2 * DAY, 170 * MIB), {
    level: 'warning',
    finding: /is used up in 5 days$/,
  })
  t.match(await find(90 * MIB, start + 2 * DAY, 170 * MIB), { level: 'ok', finding: /^-5\.0 MiB a day/ })
  t.match(await growthFindings(storage, serverWith({}), start), [
    { level: 'warning', finding: 'could not be read' },
  ])
})

onRedis(t, 'the clocks of servers are compared', async (t, { storage }) => {
  const { settings } = readConfig({ ISSUER: 'https://auth.example.com' })
  const run = async (t: Test, ahead: number) => {
    const server = new RunningServer({ storage, settings, log: SILENT, now: () => Date.now() + ahead })
    t.teardown(() => server.close())
    await server.start()
  }
  await run(t, 0)
  t.same(await clockFindings(storage), [], 'one has nothing to differ from')
  await run(t, 100)
  t.match(await clockFindings(storage), [{ level: 'ok', finding: '2 processes agree' }])
  await t.test('a late one', async (t) => {
    await run(t, -30_000)
    t.match(await clockFindings(storage), [{ level: 'warning', finding: / is (29|3\d)\.\d s ahead of / }])
  })
  await run(t, 90_000)
  t.match(await clockFindings(storage), [{ level: 'problem', finding: / is 9\d\.\d s ahead of / }])
})

t.test('an audit trail needs Redis 6.2', async (t) => {
  const on = (version: string) => auditFinding({ audit: 'on' }, [serverWith({ redis_version: version })])
  t.match(on('6.0.16'), { level: 'problem', finding: /it needs 6\.2/ })
  for (const version of ['6.2.0', '7.0.15', '10.1.0']) t.match(on(version), { level: 'ok' }, version)
  t.match(auditFinding({ audit: 'off' }, [serverWith({ redis_version: '6.0.16' })]), { level: 'ok' })
})
