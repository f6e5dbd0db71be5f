import t from 'tap'
import { problemsOf } from '../../../support/config/problems.ts'

const URL = 'https://siem.example.com/redmint'
const SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`

t.test('the webhook of the audit trail needs the trail, an address and a secret', async (t) => {
  const problems = (environment: Record<string, string>) => problemsOf({ AUDIT: 'on', ...environment })
  t.same(problems({ AUDIT_WEBHOOK_URL: URL, AUDIT_WEBHOOK_SECRET: SECRET }), [])
  t.match(problems({ AUDIT_WEBHOOK_URL: URL }), [/^AUDIT_WEBHOOK_URL needs AUDIT_WEBHOOK_SECRET: set both/])
  t.match(problems({ AUDIT_WEBHOOK_SECRET: SECRET }), [/^AUDIT_WEBHOOK_SECRET needs AUDIT_WEBHOOK_URL/])
  t.match(problems({ AUDIT: 'off', AUDIT_WEBHOOK_URL: URL, AUDIT_WEBHOOK_SECRET: SECRET }), [
    /^AUDIT_WEBHOOK_URL needs AUDIT to be on/,
  ])
  for (const wrong of [`${URL}#token`, `${URL}#`, 'http://127.0.0.1:9/#token', 'http://siem.example.com/'])
    t.match(problems({ AUDIT_WEBHOOK_URL: wrong, AUDIT_WEBHOOK_SECRET: SECRET }), [
      /^AUDIT_WEBHOOK_URL must be an https URL, or http on loopback, without a fragment/,
    ])
  for (const secret of ['short', 'whsec_short', SECRET.slice('whsec_'.length), `${SECRET}!`])
    t.match(problems({ AUDIT_WEBHOOK_URL: URL, AUDIT_WEBHOOK_SECRET: secret }), [
      /^AUDIT_WEBHOOK_SECRET must/,
    ])
})
