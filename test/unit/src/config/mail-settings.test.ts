import t from 'tap'
import { ConfigError } from '../../../../src/config/config-error.ts'
import { readSender, readSmtpServer } from '../../../../src/config/mail-settings.ts'
import { completeSettings } from '../../../../src/config/settings.ts'

const problemsOf = (options: object): readonly string[] => {
  try {
    completeSettings({ issuer: 'https://auth.example.com', ...options })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

t.test('SMTP_URL names a server, its port, and how TLS begins', async (t) => {
  const read = (smtp_url: string, smtp_tls: 'required' | 'off' = 'required') =>
    readSmtpServer({ smtp_url, smtp_tls, issuer: 'http://localhost:3000' })
  t.same(read('smtps://mail.example.com'), { host: 'mail.example.com', port: 465, tls: 'implicit' })
  t.same(read('smtp://mail.example.com'), { host: 'mail.example.com', port: 587, tls: 'starttls' })
  t.same(read('smtp://[::1]:25', 'off'), { host: '::1', port: 25, tls: 'none' })
  t.same(read('smtp://u%40x:p%3A%25%2F@h:2525'), {
    host: 'h',
    port: 2525,
    tls: 'starttls',
    user: 'u@x',
    password: 'p:%/',
  })
})

t.test(
  'the greeting has the host of the issuer if others may know it by that name, or what SMTP_NAME says',
  (t) => {
    const name = (issuer: string, smtp_name?: string) =>
      readSmtpServer({
        smtp_url: 'smtp://h',
        smtp_tls: 'required',
        issuer,
        ...(smtp_name !== undefined && { smtp_name }),
      })?.name
    t.equal(name('https://auth.example.com/path'), 'auth.example.com')
    for (const host of [
      'localhost:3000',
      '127.0.0.1',
      '[::1]',
      'app.localhost',
      'auth',
      '192.0.2.1',
      '[2001:db8::1]',
    ])
      t.equal(name(`https://${host}`), undefined, host)
    t.equal(name('http://localhost', 'relay.example.com'), 'relay.example.com')
    t.equal(name('https://auth.example.com', '[192.0.2.1]'), '[192.0.2.1]')
    t.end()
  },
)

t.test('SMTP_NAME is a full host name or an address in brackets (RFC 5321 §4.1.1.1)', (t) => {
  const mail = { smtp_url: 'smtp://h', mail_from: 'login@example.com' }
  for (const smtp_name of ['a.example', 'a-b.example.com', '[192.0.2.1]', '[IPv6:2001:db8::1]'])
    t.same(problemsOf({ ...mail, smtp_name }), [], smtp_name)
  const bad = [
    'host',
    '192.0.2.1',
    '2001:db8::1',
    '[2001:db8::1]',
    '[IPv6:192.0.2.1]',
    '[host.example]',
    'a..example',
  ]
  for (const smtp_name of [
    ...bad,
    '-a.example',
    'a_b.example',
    'a.example.',
    'a.example\r\nMAIL',
    ' a.example',
  ])
    t.match(problemsOf({ ...mail, smtp_name }), [/^smtp_name must be a full host name/], smtp_name)
  t.end()
})

t.test('settings of mail that cannot work are refused, without the password', async (t) => {
  const form =
    'smtp_url must be smtps://user:password@host:465 or smtp://user:password@host:587, with special characters in the password percent-encoded, and without path and query'
  const mail_from = 'login@example.com'
  for (const smtp_url of [
    'mail.example.com',
    'https://mail.example.com',
    'smtp://',
    'smtp://u:secret#word@h',
    'smtp://u:secret?word@h',
    'smtp://u:secret/word@h',
    'smtp://u:secret%word@h',
    'smtp://h/path',
    'smtp://h?requireTLS=false',
    'smtp://h:0',
    'smtp://:secret@h',
  ])
    t.same(problemsOf({ smtp_url, mail_from }), [form], smtp_url)
  t.same(problemsOf({ smtp_url: 'smtp://h' }), ['mail_from must be set with smtp_url'])
  t.same(problemsOf({ smtp_url: 'smtps://h', smtp_tls: 'off', mail_from }), [
    'smtp_tls is off, but smtp_url is smtps: remove one of the two',
  ])
  t.same(problemsOf({ mail_from: 'login' }), [
    'mail_from must be an address such as login@example.com, or a name and an address: Example <login@example.com>',
  ])
  t.same(problemsOf({ smtp_url: 'smtp://h', mail_from }), [])
})

t.test('MAIL_FROM is an address, with or without a name', async (t) => {
  t.same(readSender('login@Example.com'), { name: '', address: 'login@example.com' })
  t.same(readSender('Example & Co <login@example.com>'), {
    name: 'Example & Co',
    address: 'login@example.com',
  })
  for (const text of [
    '',
    '<login@example.com>x',
    'A\r\nBcc: x <a@example.com>',
    '"A" <a@example.com>',
    'A <a> <b@c>',
  ])
    t.equal(readSender(text), undefined, text)
})

t.test('E4 sign-up is open only where an address can be confirmed, and at one page', async (t) => {
  const mail = { smtp_url: 'smtp://h', mail_from: 'a@example.com' }
  t.same(problemsOf({ sign_up: 'open' }), [
    'sign_up is open, which needs smtp_url: an address is confirmed first',
  ])
  t.same(problemsOf({ sign_up: 'open', ...mail, sign_up_url: '/join' }), [
    'sign_up is open, and sign_up_url is another page for it: remove one of the two',
  ])
  t.same(problemsOf({ sign_up: 'open', ...mail }), [])
  t.same(problemsOf({ sign_up: 'off', sign_up_url: '/join' }), [])
})
