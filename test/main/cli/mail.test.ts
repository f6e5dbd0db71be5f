// `redmint mail` and invitations by mail, with a real SMTP server: on the host, and at a server.
import t, { type Test } from 'tap'
import { readEmail } from '../../../src/core/email-address.ts'
import { sendMail } from '../../../src/mail/mailer.ts'
import { startAtServer } from '../../support/cli/remote/at-server.ts'
import { type CommandResult, createCli, parsed } from '../../support/cli/run-cli.ts'
import { startSmtp, textOf } from '../../support/smtp.ts'

const SECRET = 'planted-smtp-password'

type Command = (args: readonly string[]) => Promise<CommandResult>

/** The command on the host and at a server, both with the same SMTP server. */
async function startBoth(t: Test, refuses = false) {
  const smtp = await startSmtp(t, {
    allowInsecureAuth: true,
    ...(refuses && { onRcptTo: (_to, _session, done) => done(new Error('No such person here')) }),
  })
  const smtp_url = `smtp://redmint:${SECRET}@localhost:${smtp.port}`
  const settings = { smtp_url, smtp_tls: 'off', mail_from: 'login@example.com' } as const
  const server = await startAtServer(t, { ...settings, mail: { timing: { poll: 86_400 } } })
  const { issuer, fastify } = server
  const REDMINT_TOKEN = await server.tokenOf('redmint:read', 'redmint:write')
  const elsewhere = server.elsewhere({ REDMINT_TOKEN })
  const host = createCli({
    storage: fastify.redmint.storage,
    environment: {
      REDIS_URL: 'redis://127.0.0.1:1',
      LOG_LEVEL: 'error',
      ISSUER: issuer,
      SMTP_URL: smtp_url,
      SMTP_TLS: 'off',
      MAIL_FROM: 'login@example.com',
    },
  }).redmint
  const places: readonly [name: string, run: Command][] = [
    ['host', (args) => host(args)],
    ['server', (args) => elsewhere([...args, '--server', issuer])],
  ]
  return { smtp, places, server }
}

const hidesPassword = (t: Test, { stdout, stderr }: CommandResult) => t.notMatch(stdout + stderr, SECRET)

t.test('a test mail is handed over at once, and the answer of the SMTP server is shown', async (t) => {
  const { smtp, places } = await startBoth(t)
  for (const [name, run] of places) {
    const before = smtp.mails.length
    const tested = await run(['mail', 'test', 'Alice@EXAMPLE.org'])
    t.equal(tested.code, 0, name)
    t.match(
      tested.stdout,
      /^The SMTP server took the mail: 250 .*Whether it arrives, Alice@EXAMPLE.org sees\.\n$/,
    )
    t.same(smtp.mails[before]?.to, ['Alice@example.org'])
    t.match(smtp.mails[before]?.raw, /Subject: A test of/)
    t.match(parsed(await run(['mail', 'test', 'alice@example.org', '--json'])), {
      sent: true,
      answer: /^250/,
    })
    hidesPassword(t, tested)
  }
})

t.test('E7 what the SMTP server refuses is shown to the operator', async (t) => {
  const { places } = await startBoth(t, true)
  for (const [name, run] of places) {
    const refused = await run(['mail', 'test', 'nobody@example.org'])
    t.not(refused.code, 0, name)
    t.match(refused.stdout + refused.stderr, /The mail was not sent: .*No such person here/)
    hidesPassword(t, refused)
    const malformed = await run(['mail', 'test', '"a b"@example.org'])
    t.match(malformed, { code: 1, stderr: /must be an address/ }, 'E1')
  }
})

t.test('E8 mails that wait or were refused are listed, without their links', async (t) => {
  const { places, server, smtp } = await startBoth(t)
  await smtp.close()
  const to = readEmail('ann@example.org')
  if (to === undefined) throw new Error('It is an address.')
  const link = 'https://auth.example.com/reset-password?link=planted-link'
  const content = { kind: 'reset_password', language: 'en', link } as const
  await sendMail(server.fastify.redmint, () => {}, { to, content, ttl: 3600 })
  for (const [name, run] of places) {
    const listed = await run(['mail', 'list'])
    t.equal(listed.code, 0, name)
    t.match(listed.stdout, /ID +KIND +TO +STATE/)
    t.match(listed.stdout, /reset_password +ann@example\.org +waiting/)
    const json = await run(['mail', 'list', '--json'])
    t.match(parsed(json), { mails: [{ kind: 'reset_password', to: 'ann@example.org', state: 'waiting' }] })
    t.notMatch(listed.stdout + json.stdout, 'planted-link')
    hidesPassword(t, json)
  }
})

t.test('E3 an invitation goes to its address, if the operator asks so', async (t) => {
  const { smtp, places } = await startBoth(t)
  for (const [name, run] of places) {
    const before = smtp.mails.length
    const email = `${name}@example.org`
    const invited = await run(['user', 'invite', '--email', email, '--send', '--language', 'de'])
    t.equal(invited.code, 0, name)
    t.match(invited.stdout, /The SMTP server took the mail: 250/)
    const [url = ''] = invited.stdout.split('\n')
    const [mail] = smtp.mails.slice(before)
    t.same(mail?.to, [email])
    t.ok(mail && textOf(mail).includes(url), 'the same link')
    t.match(mail && textOf(mail), /Sie sind zu/)
    await run(['user', 'invite', '--email', `quiet-${email}`])
    t.equal(smtp.mails.length, before + 1, 'nothing is sent unasked')
    t.match(await run(['user', 'invite', '--send']), { code: 1, stderr: /needs email/ })
  }
})

t.test('E3 an invitation that the SMTP server refuses is handed over', async (t) => {
  const { places } = await startBoth(t, true)
  for (const [name, run] of places) {
    const invited = await run(['user', 'invite', '--email', `${name}@example.org`, '--send'])
    t.not(invited.code, 0)
    t.match(invited.stdout, /welcome\?link=[\s\S]*The mail was not sent: .*Hand the link over/)
  }
})

t.test('without an SMTP server nothing is sent, and no invitation is made', async (t) => {
  const server = await startAtServer(t)
  const run = server.host
  for (const args of [
    ['mail', 'test', 'a@example.org'],
    ['user', 'invite', '--email', 'a@example.org', '--send'],
  ])
    t.match(await run(args), { code: 1, stderr: /There is no SMTP server/ })
  t.match((await run(['user', 'invitations'])).stdout, 'There are no invitations.')
  t.match((await run(['mail', 'list'])).stdout, /^There is no SMTP server: set SMTP_URL and MAIL_FROM\./)
  t.match(parsed(await run(['mail', 'list', '--json'])), { mails: [], off: /no SMTP server/ })
})
