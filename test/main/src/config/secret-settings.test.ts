import { randomBytes } from 'node:crypto'
import t from 'tap'
import { readConfig } from '../../../../src/config/config.ts'
import { ENVIRONMENT } from '../../../../src/config/environment.ts'
import { SECRET_SETTINGS } from '../../../../src/config/secret-settings.ts'
import { agreedSettings } from '../../../../src/service/agreed-settings.ts'

t.test('each setting that is named as a secret is one', async (t) => {
  // Where Redis is, is in no settings.
  const names = Object.keys(ENVIRONMENT.properties)
    .filter((name) => !name.startsWith('REDIS_'))
    .map((name) => name.toLowerCase())
  const secret = names.filter((name) => /(^|_)(key|salt|secret|password)$/.test(name))
  for (const name of [...secret, 'smtp_url']) t.ok(SECRET_SETTINGS.has(name), name)
  for (const name of SECRET_SETTINGS) t.ok(names.includes(name), `${name} exists`)
})

t.test('what servers say of themselves in storage has no secret', async (t) => {
  const key = () => randomBytes(32).toString('base64')
  const [audit, wrapping, salt] = [key(), key(), key()]
  const { settings } = readConfig({
    ISSUER: 'https://auth.example.com',
    AUDIT: 'on',
    AUDIT_KEY: audit,
    KEY_ENCRYPTION_KEY: wrapping,
    PAIRWISE_SALT: salt,
    CLIENT_CERTIFICATE_SECRET: 'a-secret-of-the-proxy-that-is-long-enough',
    TRUSTED_PROXIES: '127.0.0.1',
    SMTP_URL: 'smtp://login:a-password-of-mail@mail.example.com',
    MAIL_FROM: 'login@example.com',
  })
  const text = JSON.stringify(agreedSettings({ settings, storage: { tokens_at_rest: 'plain' } }))
  for (const secret of [audit, wrapping, salt, 'a-secret-of-the-proxy', 'a-password-of-mail'])
    t.notOk(text.includes(secret), secret)
  t.match(text, /"audit_key":"sha256:[0-9a-f]{8}"/, 'whether they agree about it can be seen')
})
