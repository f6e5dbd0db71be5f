// Which records are those of applications behind a proxy.
import t from 'tap'
import { formatClient, parseClient } from '../../../../src/clients/record/client-record.ts'
import { originOfHost } from '../../../../src/clients/record/forward-auth-fields.ts'
import { behindProxy } from '../../../support/forward-auth.ts'

t.test('a host is exact, and https unless it is on loopback', async (t) => {
  for (const [host, origin] of Object.entries({
    'wiki.example.org': 'https://wiki.example.org',
    'wiki.example.org:8443': 'https://wiki.example.org:8443',
    'localhost:8080': 'http://localhost:8080',
    '127.0.0.1': 'http://127.0.0.1',
    '[::1]:9': 'http://[::1]:9',
  })) {
    t.equal(originOfHost(host), origin)
  }
  for (const host of [
    '',
    'Wiki.example.org',
    '*.example.org',
    'wiki.example.org:443',
    'localhost:80',
    'https://wiki.example.org',
    'wiki.example.org/',
    'wiki.example.org?x',
    'user@wiki.example.org',
    'wiki.example.org:99999',
    'wiki_1.example.org',
    '[::1',
  ]) {
    t.equal(originOfHost(host), undefined, host)
  }
})

t.test('a record has what redmint needs to sign people in for it', async (t) => {
  const right = formatClient(behindProxy('https://wiki.example.org', 'wiki'))
  t.match(parseClient('wiki', right), { ok: true, record: { forward_auth_hosts: ['wiki.example.org'] } })
  for (const [field, wrong] of [
    ['forward_auth_hosts', { forward_auth_hosts: '*.example.org' }],
    ['redirect_uris', { redirect_uris: 'https://wiki.example.org/cb' }],
    ['redirect_uris', { forward_auth_hosts: 'wiki.example.org other.example.org' }],
    ['logout_ends_tokens', { logout_ends_tokens: 'false' }],
    ['allowed_scopes', { allowed_scopes: 'profile' }],
    ['is_public', { is_public: 'false', client_secret_hash: `${'A'.repeat(43)}=` }],
  ] as const) {
    const parsed = parseClient('wiki', { ...right, ...wrong })
    t.match(parsed, { ok: false, problems: [{ field }] }, field)
  }
})
