// What operators do with mail, and invitations by mail, with a real SMTP server.
import t, { type Test } from 'tap'
import type { Settings } from '../../../../src/config/settings.ts'
import { readEmail } from '../../../../src/core/email-address.ts'
import { sendMail } from '../../../../src/mail/mailer.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { operatorOn } from '../../../support/operator.ts'
import { scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { startSmtp, textOf } from '../../../support/smtp.ts'

const SECRET = 'planted-smtp-password'

/** An operator where there is an SMTP server. */
async function start(t: Test, refuses = false) {
  const smtp = await startSmtp(t, {
    allowInsecureAuth: true,
    ...(refuses && { onRcptTo: (_to, _session, done) => done(new Error('No such person here')) }),
  })
  const settings: Partial<Settings> = {
    issuer: ISSUER,
    smtp_url: `smtp://redmint:${SECRET}@localhost:${smtp.port}`,
    smtp_tls: 'off',
    mail_from: 'login@example.com',
  }
  const { run, answers } = operatorOn(new MemoryStorage(), { settings })
  const hidesPassword = () => t.notMatch(JSON.stringify([answers, answers.map(String)]), SECRET)
  return { smtp, run, hidesPassword }
}

t.test('a test mail is handed over at once, and the answer of the SMTP server is shown', async (t) => {
  const { smtp, run, hidesPassword } = await start(t)
  const { body } = await run('test_mail', { body: { to: 'Alice@EXAMPLE.org' } })
  t.match(body, { sent: true, answer: /^250/ })
  t.same(smtp.mails[0]?.to, ['Alice@example.org'])
  t.match(smtp.mails[0]?.raw, /Subject: A test of/)
  hidesPassword()
})

t.test('E7 what the SMTP server refuses is shown to the operator', async (t) => {
  const { run, hidesPassword } = await start(t, true)
  const { body } = await run('test_mail', { body: { to: 'nobody@example.org' } })
  t.match(body, { sent: false, answer: /No such person here/ })
  const malformed = run('test_mail', { body: { to: '"a b"@example.org' } })
  await t.rejects(malformed, { code: 'invalid_field', message: /must be an address/ }, 'E1')
  const invited = await run('create_user_invitation', { body: { email: 'a@example.org', send: true } })
  t.match(invited.body, { url: /welcome\?link=/, mail: { sent: false, answer: /No such person here/ } }, 'E3')
  hidesPassword()
})

t.test('E8 mails that wait or were refused are listed, without their links', async (t) => {
  const { storage, redmint, call, tokenOf } = await scene(t, {
    with: ['mail', 'console'],
    mail: { timing: { poll: 86_400 } },
  })
  const to = readEmail('ann@example.org')
  if (to === undefined) throw new Error('It is an address.')
  const link = 'https://auth.example.com/reset-password?link=planted-link'
  // Nothing is delivered before it is listed.
  await sendMail({ ...redmint, storage }, () => {}, {
    to,
    content: { kind: 'reset_password', language: 'en', link },
    ttl: 3600,
  })
  const { json, text } = await call('GET', '/mails', { token: await tokenOf('redmint:read') })
  t.match(json.items, [{ kind: 'reset_password', to: 'ann@example.org', state: 'waiting' }])
  t.notMatch(text, 'planted-link')
})

t.test('mails that wait after a failure are tried again, and an id that none has is refused', async (t) => {
  const { run } = await start(t)
  t.match(await run('retry_mails', { body: {} }), { body: { retried: 0 } })
  await t.rejects(run('retry_mails', { body: { id: 'nothing' } }), {
    code: 'not_found',
    message: /No mail "nothing"/,
  })
})

t.test('E3 an invitation goes to its address, if the operator asks so', async (t) => {
  const { smtp, run } = await start(t)
  const email = 'bob@example.org'
  const { body } = await run('create_user_invitation', { body: { email, send: true, language: 'de' } })
  t.match(body, { mail: { sent: true, answer: /^250/ } })
  const [mail] = smtp.mails
  t.same(mail?.to, [email])
  t.ok(mail && textOf(mail).includes(String(body.url)), 'the same link')
  t.match(mail && textOf(mail), /Sie sind zu/)
  await run('create_user_invitation', { body: { email: `quiet-${email}` } })
  t.equal(smtp.mails.length, 1, 'nothing is sent unasked')
  await t.rejects(run('create_user_invitation', { body: { send: true } }), { message: /needs email/ })
})

t.test('without an SMTP server nothing is sent, and no invitation is made', async (t) => {
  const { run } = operatorOn(new MemoryStorage(), { settings: { issuer: ISSUER, demo: false } })
  const refused = { code: 'conflict', message: /There is no SMTP server/ }
  await t.rejects(run('test_mail', { body: { to: 'a@example.org' } }), refused)
  await t.rejects(run('create_user_invitation', { body: { email: 'a@example.org', send: true } }), refused)
  t.strictSame((await run('list_user_invitations')).body.items, [])
  t.strictSame((await run('list_mails')).body, {
    items: [],
    off: 'There is no SMTP server: set SMTP_URL and MAIL_FROM.',
  })
})
