// Accounts as whom nobody can sign in, and the first administrator, who can.
import t from 'tap'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { operatorOn } from '../../support/operator.ts'
import { ISSUER } from '../../support/service.ts'
import { startSmtp, textOf } from '../../support/smtp.ts'

const STEP = 'Nobody can sign in as ada yet: redmint user reset-link ada'
const LINK = /^http:\/\/localhost:3000\/reset-password\?link=[\w-]{16}\.[\w-]{43}$/m

t.test('admin create makes somebody with rights, and shows a link once', async (t) => {
  const { redmint } = createCli()
  const made = await redmint(['admin', 'create', 'ada', '--email', 'ada@example.com', '--name', 'Ada'])
  t.match(made, { code: 0, stdout: LINK })
  t.match(made.stdout, 'redmint:read redmint:write')
  t.notMatch(made.stdout, 'Nobody can sign in')
  t.match(parsed(await redmint(['user', 'show', 'ada', '--json'])), {
    admin: ['redmint:read', 'redmint:write'],
    claims: { email: 'ada@example.com', email_verified: 'true', name: 'Ada' },
  })
  t.match(await redmint(['client', 'show', 'redmint-command']), { code: 0 }, 'people sign in at the command')
  const again = await redmint(['admin', 'create', 'ada'])
  t.match(again, {
    code: 1,
    stderr: /exists already: redmint admin grant ada .* redmint user reset-link ada/,
  })
  const json = parsed(await redmint(['admin', 'create', 'bob', '--scope', 'redmint:read', '--json']))
  t.match(json, { username: 'bob', admin: ['redmint:read'], reset_link: { url: /reset-password/ } })
})

t.test('where people sign in elsewhere, it says what else is to be done', async (t) => {
  const { redmint } = createCli({
    environment: { REDIS_URL: 'redis://localhost', SIGN_IN: 'provider:partner', LOG_LEVEL: 'error' },
  })
  const made = await redmint(['admin', 'create', 'ada', '--email', 'ada@example.com'])
  t.match(made, { code: 0, stdout: /redmint user update ada --linked-subject/ })
  t.notMatch(made.stdout, '/reset-password')
})

t.test(
  'where there is mail, the link goes to the person, in words for somebody who has no password',
  async (t) => {
    const smtp = await startSmtp(t)
    const environment = {
      ...{ REDIS_URL: 'redis://localhost', LOG_LEVEL: 'warn', SMTP_TLS: 'off' },
      ...{ SMTP_URL: `smtp://localhost:${smtp.port}`, MAIL_FROM: 'login@example.com' },
    }
    const { redmint } = createCli({ environment })
    const made = await redmint(['admin', 'create', 'ada', '--email', 'ada@example.com'])
    t.match(made, { code: 0, stdout: /The SMTP server took the mail: 250/ })
    t.notMatch(made.stdout, '/reset-password', 'the link is in the mail alone')
    t.same(smtp.mails[0]?.to, ['ada@example.com'])
    const [mail] = smtp.mails
    t.match(mail && textOf(mail), 'There is an account for you')
    t.match(mail && textOf(mail), LINK)
    await redmint(['user', 'set-password', 'ada', '--password-stdin'], 'seven wet umbrellas at noon')
    t.match(await redmint(['user', 'reset-link', 'ada', '--send']), { code: 0, stdout: LINK })
    t.match(smtp.mails[1] && textOf(smtp.mails[1]), 'asked for a new password')
    const printed = await redmint(['admin', 'create', 'bob', '--email', 'bob@example.com', '--print'])
    t.match(printed, { code: 0, stdout: LINK })
    t.match(
      await redmint(['admin', 'create', 'eve']),
      { code: 0, stdout: LINK },
      'without an address it is shown',
    )
    t.match(await redmint(['user', 'reset-link', 'eve', '--send']), {
      code: 1,
      stderr: /no verified address/,
    })
    t.equal(smtp.mails.length, 2)
  },
)

t.test('a mail that is refused leaves the link to hand over', async (t) => {
  const smtp = await startSmtp(t, {
    onRcptTo: (_to, _session, done) => done(new Error('No such person here')),
  })
  const environment = {
    ...{ REDIS_URL: 'redis://localhost', LOG_LEVEL: 'warn', SMTP_TLS: 'off' },
    ...{ SMTP_URL: `smtp://localhost:${smtp.port}`, MAIL_FROM: 'login@example.com' },
  }
  const { redmint } = createCli({ environment })
  const made = await redmint(['admin', 'create', 'ada', '--email', 'ada@example.com'])
  t.match(made, { code: 1, stdout: LINK })
  t.match(made.stdout, /The mail was not sent: .*No such person here/)
})

t.test('every command that leaves an account without a way in says so, and what to do', async (t) => {
  const { redmint } = createCli()
  t.match((await redmint(['user', 'add', 'ada'])).stdout, STEP)
  t.match(parsed(await redmint(['admin', 'grant', 'ada', '--json'])), { next_step: STEP })
  t.match((await redmint(['admin', 'grant', 'ada'])).stdout, STEP)
  t.notMatch((await redmint(['admin', 'grant', 'ada'])).stdout, 'undefined')
  t.match((await redmint(['user', 'update', 'ada', '--name', 'Ada'])).stdout, STEP)
  await redmint(['user', 'add', 'bob'])
  await redmint(['user', 'disable', 'bob'])
  t.match((await redmint(['user', 'enable', 'bob'])).stdout, 'Nobody can sign in as bob yet')
  const users = JSON.stringify([1, 2, 3, 4, 5].map((n) => ({ username: `user${n}` })))
  const imported = await redmint(['user', 'import', '-'], users)
  t.match(imported.stdout, 'Nobody can sign in as user1 yet: redmint user reset-link user1')
  t.match(imported.stdout, '… and as 2 more')
  const more = JSON.stringify([{ username: 'user6' }, { username: 'user7', password: 'seven wet umbrellas' }])
  t.match(parsed(await redmint(['user', 'import', '-', '--json'], more)), { without_sign_in: 1 })
  const file = JSON.stringify({ label: 'team', users: [{ username: 'carol' }] })
  t.match((await redmint(['apply', '-'], file)).stdout, 'Nobody can sign in as carol yet')
  const set = await redmint(['user', 'set-password', 'ada', '--password-stdin'], 'seven wet umbrellas')
  t.equal(set.code, 0)
  t.notMatch((await redmint(['user', 'update', 'ada', '--name', 'A.'])).stdout, 'Nobody can sign in')
})

t.test('with SIGN_IN=passkeys the link itself is what to do', async (t) => {
  const { redmint } = createCli({ environment: { REDIS_URL: 'redis://localhost', SIGN_IN: 'passkeys' } })
  const added = await redmint(['user', 'add', 'ada'])
  t.match(added.stdout, LINK)
  t.notMatch(added.stdout, 'Nobody can sign in')
})

t.test(
  'the admin API says it of whom it adds, replaces, changes and enables, and whose passkeys go',
  async (t) => {
    const { run } = operatorOn(new MemoryStorage(), { settings: { issuer: ISSUER } })
    const params = { username: 'ada' }
    const added = await run('create_user', { body: params })
    t.equal(added.body.next_step, STEP)
    const { version } = added
    const changed = await run('change_user', { params, body: { claims: { name: 'Ada' } }, version })
    t.equal(changed.body.next_step, STEP)
    const replaced = await run('replace_user', { params, body: {}, version: changed.version })
    t.equal(replaced.body.next_step, STEP)
    await run('disable_user', { params })
    t.equal((await run('enable_user', { params })).body.next_step, STEP)
    t.equal((await run('reset_factors', { params })).body.next_step, STEP)
    t.equal(
      (await run('read_user', { params })).body.next_step,
      undefined,
      'a record that is read is as it is',
    )
  },
)
