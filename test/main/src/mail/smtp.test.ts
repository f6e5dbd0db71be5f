// Handing mail over to a real SMTP server: TLS, refusals, servers that are slow, gone or of somebody else.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import type { SmtpServer } from '../../../../src/config/mail-settings.ts'
import { smtpSender, whyNoMail } from '../../../../src/mail/smtp.ts'
import { startSmtp, textOf } from '../../../support/smtp.ts'

const FROM = { name: 'Example', address: 'login@example.com' }
const MAIL = {
  id: 'an-id',
  to: 'alice@example.org',
  subject: 'A subject: ä',
  text: 'https://auth.example.com/x\n',
  html: '<p>x</p>',
}
const QUICK = { connect: 300, silence: 300, total: 600 }

const server = (port: number, more: Partial<SmtpServer> = {}): SmtpServer => ({
  host: 'localhost',
  port,
  tls: 'starttls',
  ...more,
})

t.test('mail arrives by STARTTLS, by TLS, and without TLS if that is off', async (t) => {
  const starttls = await startSmtp(t)
  t.same(
    await smtpSender(server(starttls.port, { user: 'u', password: 'p:%' }), FROM, { ca: starttls.ca })(MAIL),
    {
      outcome: 'sent',
      answer: '250 OK: message queued',
    },
  )
  const implicit = await startSmtp(t, { secure: true })
  t.has(await smtpSender(server(implicit.port, { tls: 'implicit' }), FROM, { ca: implicit.ca })(MAIL), {
    outcome: 'sent',
  })
  const plain = await startSmtp(t, { hideSTARTTLS: true })
  t.has(await smtpSender(server(plain.port, { tls: 'none' }), FROM)(MAIL), { outcome: 'sent' })
  for (const [{ mails }, secure] of [
    [starttls, true],
    [implicit, true],
    [plain, false],
  ] as const) {
    t.match(mails, [{ from: FROM.address, to: [MAIL.to], secure }])
  }
  t.equal(starttls.mails[0]?.user, 'u')
  const [mail] = starttls.mails
  const text = mail ? textOf(mail) : ''
  for (const header of [
    'From: Example <login@example.com>',
    'To: alice@example.org',
    'Message-ID: <an-id@example.com>',
    'Auto-Submitted: auto-generated',
  ])
    t.ok(text.includes(`${header}\r\n`), header)
  t.ok(text.includes('https://auth.example.com/x'))
})

t.test(
  'E9 without TLS, or with a certificate that is not accepted, nothing is sent, and one line says why',
  async (t) => {
    const plain = await startSmtp(t, { disabledCommands: ['STARTTLS'] })
    t.match(await smtpSender(server(plain.port), FROM)(MAIL), { outcome: 'away', answer: /STARTTLS/ })
    const other = await startSmtp(t)
    const foreign = await smtpSender(server(other.port), FROM)(MAIL)
    t.match(foreign, {
      outcome: 'away',
      answer: /^The certificate of localhost is not accepted: \w+\. .*NODE_EXTRA_CA_CERTS/,
    })
    const named = await smtpSender(server(other.port, { host: '127.0.0.1' }), FROM, { ca: other.ca })(MAIL)
    t.match(named, {
      outcome: 'away',
      answer: /^The certificate of 127.0.0.1 is not accepted: ERR_TLS_CERT_ALTNAME_INVALID/,
    })
    t.same([...plain.mails, ...other.mails], [])
  },
)

t.test('a refusal is for good or for now, and its answer is one line without links', async (t) => {
  const refusing = (code: number, message: string) =>
    startSmtp(t, {
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error(message), { responseCode: code })),
    })
  const bad = await refusing(550, 'No such user, see https://mail.example/why?token=x')
  t.match(await smtpSender(server(bad.port), FROM, { ca: bad.ca })(MAIL), {
    outcome: 'refused',
    answer: /No such user, see \[link\]$/,
  })
  const busy = await refusing(451, 'Later')
  t.match(await smtpSender(server(busy.port), FROM, { ca: busy.ca })(MAIL), {
    outcome: 'later',
    answer: /451 Later/,
  })
  const closed = await refusing(421, 'Closing')
  t.match(await smtpSender(server(closed.port), FROM, { ca: closed.ca })(MAIL), {
    outcome: 'away',
    answer: /421 Closing/,
  })
  const locked = await startSmtp(t, { onAuth: (_auth, _session, done) => done(new Error('Invalid')) })
  const login = { user: 'u', password: 'secret-password' }
  const refused = await smtpSender(server(locked.port, login), FROM, { ca: locked.ca })(MAIL)
  t.equal(refused.outcome, 'away', 'a wrong password is the fault of no recipient')
  t.notOk(refused.answer.includes('secret-password'))
})

t.test('the greeting names the client, and a refusal of it is explained', async (t) => {
  const seen: string[] = []
  const strict = await startSmtp(t, {
    onMailFrom: (_address, { hostNameAppearsAs }, done) => {
      seen.push(String(hostNameAppearsAs))
      done()
    },
  })
  const named = server(strict.port, { name: 'auth.example.com' })
  t.match(await smtpSender(named, FROM, { ca: strict.ca })(MAIL), { outcome: 'sent' })
  t.same(seen, ['auth.example.com'])
  // As a relay that wants a name that it knows.
  for (const answer of [
    '550 5.7.1 Helo command rejected: need fully-qualified hostname',
    '421 4.7.0 Try again later',
  ] as const)
    for (const name of ['auth.example.com', undefined]) {
      const relay = createServer((socket) => {
        socket.on('error', () => {}).write('220 relay\r\n')
        socket.on('data', () => socket.write(`${answer}\r\n`))
      }).listen(0, '127.0.0.1')
      await once(relay, 'listening')
      t.teardown(() => relay.close())
      const { port } = relay.address() as AddressInfo
      const place = server(port, { tls: 'none', ...(name !== undefined && { name }) })
      const who = name ?? 'this machine'
      t.match(await smtpSender(place, FROM)(MAIL), {
        outcome: 'away',
        answer: new RegExp(`^localhost refuses the greeting of ${who}: SMTP_NAME .*${answer.slice(0, 9)}`),
      })
      t.match(await whyNoMail(place), /SMTP_NAME/)
    }
})

t.test('a server that is dead, silent or slow ends an attempt in time', async (t) => {
  const dead = await startSmtp(t)
  await dead.close()
  t.match(await smtpSender(server(dead.port), FROM)(MAIL), { outcome: 'away', answer: /ECONNREFUSED/ })
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  t.match(await smtpSender(server(port), FROM, { timing: QUICK })(MAIL), { outcome: 'away' })
  // It took the mail, or not: nobody knows.
  const slow = await startSmtp(t, { onData: (stream) => void stream.resume() })
  t.match(await smtpSender(server(slow.port), FROM, { ca: slow.ca, timing: QUICK })(MAIL), {
    outcome: 'unknown',
  })
})

// CVE-2026-110872, CVE-2026-90776 (nodemailer): an answer cost the square of its length.
t.test('an answer without end costs no more than its length, and the attempt ends', async (t) => {
  const answers = {
    'a greeting of 1 MB': `220 ${'a'.repeat(2 ** 20)}\r\n`,
    'a greeting of 1 MB without an end': `220-${'a'.repeat(2 ** 20)}`,
    'a greeting of ten thousand lines': `${'220-a\r\n'.repeat(10_000)}220 a\r\n`,
    'ten thousand lines that do not end': '220-a\r\n'.repeat(10_000),
  }
  for (const [name, answer] of Object.entries(answers)) {
    const host = createServer((socket) => void socket.on('error', () => {}).end(answer)).listen(
      0,
      '127.0.0.1',
    )
    await once(host, 'listening')
    t.teardown(() => host.close())
    const { port } = host.address() as AddressInfo
    const before = process.cpuUsage()
    const sent = await smtpSender(server(port), FROM, { timing: QUICK })(MAIL)
    const { user } = process.cpuUsage(before)
    t.match(sent, { outcome: 'away' }, name)
    t.ok(String(sent.answer).length <= 1000, `${name}: what is kept of it is short`)
    t.ok(user < 2_000_000, `${name}: ${user} µs of CPU`)
  }
})

t.test('E2 nothing in an address, a name or a subject begins another header or command', async (t) => {
  const place = await startSmtp(t)
  const send = smtpSender(server(place.port), { ...FROM, name: 'A\r\nBcc: x@evil.example' }, { ca: place.ca })
  await send({ ...MAIL, subject: 'Hi\r\nBcc: eve@evil.example\r\n\r\nbody' })
  const [mail] = place.mails
  t.same(mail?.to, [MAIL.to])
  t.notMatch(mail?.raw ?? '', /^Bcc:/im)
})
