// The owner of an account is told of each change of a way to sign in.
import t from 'tap'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { countMails } from '../../../../src/mail/mail-queue.ts'
import { createUser } from '../../../support/records.ts'
import { DEMO_HERE, startService } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

t.test('each change of a way to sign in is told to the confirmed address, and nothing else', async (t) => {
  const { fastify, storage, get } = await startService(t, DEMO_HERE)
  await createUser(storage, 'ann', {
    sub: 'a',
    email: 'ann@example.org',
    email_verified: 'true',
    locale: 'de',
  })
  await createUser(storage, 'bob', { sub: 'b', email: 'bob@example.org', email_verified: 'false' })
  const { redmint } = fastify
  const told: [event: SecurityEvent, text: RegExp][] = [
    [{ event: 'password_changed', username: 'ann' }, /Passwort Ihres Kontos/],
    [{ event: 'password_reset', username: 'ann' }, /Passwort Ihres Kontos/],
    [
      { event: 'passkey_added', username: 'ann', provider: 'https://evil.example' },
      /neuen Weg zur Anmeldung: ein Passkey/,
    ],
    [{ event: 'passkey_removed', username: 'ann' }, /entfernt: ein Passkey/],
    [{ event: 'second_step_added', username: 'ann' }, /neuen Weg zur Anmeldung: Codes/],
    [{ event: 'second_step_removed', username: 'ann' }, /entfernt: Codes/],
    [{ event: 'recovery_code_used', username: 'ann', left: 3 }, /Wiederherstellungscode/],
  ]
  const shown = async () => (await get('/demo/mail')).text.split('<h2>').slice(1)
  for (const [index, [event, text]] of told.entries()) {
    redmint.report({ ...event, username: 'bob' } as SecurityEvent)
    redmint.report(event)
    await until('the mail arrives', async () => (await shown()).length > index)
    const [mail = ''] = await shown()
    t.match(mail, /ann@example.org/, event.event)
    t.match(mail, text)
    t.match(mail, /Das war ich nicht:.*\n.*http:\/\/localhost:3000\/not-me\?link=/)
    t.notMatch(mail, /evil|bob/)
  }
  redmint.report({ event: 'user_enabled', username: 'ann' })
  redmint.report({ event: 'password_changed', username: 'nobody' })
  await until('nothing waits', async () => (await countMails(storage)) === 0)
  t.equal((await shown()).length, told.length)
})

t.test('"This was not me" leads to the page of the operator afterwards, where there is one', async (t) => {
  const forgot_password_url = 'https://id.example.com/forgot'
  const { fastify, storage, get } = await startService(t, { ...DEMO_HERE, forgot_password_url })
  await createUser(storage, 'ann', { sub: 'a', email: 'ann@example.org', email_verified: 'true' })
  for (let i = 0; i < 9; i++) fastify.redmint.report({ event: 'password_changed', username: 'ann' })
  const shown = async () => (await get('/demo/mail')).text.split('<h2>').slice(1)
  await until('the mails arrive', async () => (await shown()).length === 9)
  const leading = async (to: string) => (await shown()).filter((mail) => mail.includes(to)).length
  t.equal(await leading('http://localhost:3000/not-me?link='), 8)
  t.equal(await leading(forgot_password_url), 1, 'and at once, if there are too many')
})
