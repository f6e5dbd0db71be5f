import t from 'tap'
import { ConfigError } from '../../../../src/config/config-error.ts'
import { SETTING_VARIABLES } from '../../../../src/config/environment.ts'
import { OPTION_FORMS } from '../../../../src/config/option-forms.ts'
import { completeSettings, type Settings } from '../../../../src/config/settings.ts'

const ISSUER = 'https://auth.example.com'

/** Returns the problems of options, which an application without types may pass. */
function problemsOf(options: object): readonly string[] {
  try {
    completeSettings({ issuer: ISSUER, ...options })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

t.test('an option has the rule of its variable, and its own type', async (t) => {
  const table: [option: object, problem: string][] = [
    [{ dpop_nonce: 'Required' }, 'dpop_nonce must be one of off, required'],
    [{ client_registration: false }, 'client_registration must be one of off, invitation, open'],
    [{ access_token_alg: null }, 'access_token_alg must be one of ES256, RS256, PS256, EdDSA'],
    [{ access_token_ttl: 0 }, 'access_token_ttl must be 1 or more'],
    [{ access_token_ttl: -5 }, 'access_token_ttl must be 1 or more'],
    [{ access_token_ttl: 86_401 }, 'access_token_ttl must be 86400 or less'],
    [{ id_token_ttl: 1.5 }, 'id_token_ttl must be a whole number'],
    [{ id_token_ttl: Number.NaN }, 'id_token_ttl must be a whole number'],
    [{ access_token_ttl: '300' }, 'access_token_ttl must be a whole number, not a string'],
    [{ argon2_concurrency: 0 }, 'argon2_concurrency must be 1 or more'],
    [{ session_persistent: 'false' }, 'session_persistent must be true, false or "choice"'],
    [{ trusted_issuers: 1 }, 'trusted_issuers must be true or false, not a number'],
    [{ service_name: 7 }, 'service_name must be a string, not a number'],
    [{ help_url: null }, 'help_url must be a string, not null'],
    [{ pairwise_salt: 'short' }, 'pairwise_salt must have 16 characters or more: openssl rand -base64 32'],
    [{ issuer: new URL(ISSUER) }, 'issuer must be a string, not an object'],
  ]
  for (const [option, problem] of table) t.same(problemsOf(option), [problem])
})

t.test('an option of another form than its variable has the rule of the variable, too', async (t) => {
  const scopes = new Map([['openid', new Map([['en', 'Text']])]])
  const right: Partial<Settings> = {
    demo: 'public',
    session_persistent: 'choice',
    account_fields: ['name', 'nickname'],
    signing_algs: ['ES256', 'RS256'],
    scope_texts: scopes,
    scope_claims: new Map([['roles', 'groups']]),
    self_registered_scopes: ['openid'],
    client_id_metadata: ['claude.ai', '*.example.com'],
    client_id_metadata_deny: ['evil.example'],
    issuer_private_hosts: ['idp.internal:8443'],
    webfinger_hosts: ['example.com'],
    forward_auth_clients: ['intranet'],
    client_certificate_proxies: ['10.0.0.0/8'],
    key_encryption_key: Buffer.alloc(32),
  }
  t.same(Object.keys(right).sort(), Object.keys(OPTION_FORMS).sort(), 'each of them')
  t.has(completeSettings({ issuer: ISSUER, ...right }), right)
  for (const client_id_metadata of ['all', 'none'] as const) {
    t.has(completeSettings({ issuer: ISSUER, client_id_metadata }), { client_id_metadata })
  }
  const wrong: [name: keyof typeof OPTION_FORMS, values: unknown[], problem: RegExp][] = [
    ['demo', ['true', 'Public', 1], /must be true, false, "private" or "public"$/],
    ['signing_algs', ['ES256', [1], new Set(['ES256'])], /must be an array of ES256, RS256, PS256, EdDSA$/],
    ['signing_algs', [['ES256', 'RS256', 'HS256']], /has "HS256": it must be an array of ES256, RS256/],
    ['scope_texts', ['{}', {}, new Map([['a', 'Text']])], /must be a Map from scope to a Map from language/],
    ['scope_texts', [new Map([['a b', new Map([['en', 'x']])]])], /has "a b", which is not a scope name$/],
    ['scope_texts', [new Map([['a', new Map()]])], /has "a", which needs a text for at least one/],
    ['scope_texts', [new Map([['a', new Map([['en', 1]])]])], /has "a", which needs a text for at least one/],
    ['scope_claims', ['a=b', { a: 'b' }, new Map([['a', ['b']]])], /must be a Map from claim to scope/],
    ['scope_claims', [new Map([['roles', 'openid']])], /has "openid", which has its claims from OpenID/],
    ['scope_claims', [new Map([['iss', 'groups']])], /has "iss", which cannot be set as a claim/],
    ['self_registered_scopes', ['openid', [null]], /must be an array of scope names/],
    [
      'self_registered_scopes',
      [['openid profile']],
      /has "openid profile": it must be an array of scope names/,
    ],
    ['client_id_metadata', ['off', 'on', true], /must be "all", "none", or an array of host names/],
    ['client_id_metadata', [['Example.com']], /has "Example.com": it must be "all", "none", or an array/],
    ['client_id_metadata_deny', ['all', 'a.example'], /must be an array of host names/],
    ['client_id_metadata_deny', [['https://a.example']], /has "https:\/\/a.example": it must be an array of/],
    ['issuer_private_hosts', ['idp.internal'], /must be an array of hosts/],
    ['issuer_private_hosts', [['https://idp.internal']], /has "https:\/\/idp.internal": it must be an array/],
    ['client_certificate_proxies', ['10.0.0.1', null], /must be an array of addresses/],
    ['client_certificate_proxies', [['0.0.0.0/0']], /has "0.0.0.0\/0": it must be an array of addresses/],
    ['key_encryption_key', ['x'.repeat(43), Buffer.alloc(31)], /must be 32 bytes, a Buffer or Uint8Array$/],
  ]
  for (const [name, values, problem] of wrong) {
    for (const value of values) {
      const problems = problemsOf({ [name]: value })
      t.equal(problems.length, 1, `${name}: ${problems.join(' | ')}`)
      t.match(problems[0], new RegExp(`^${name} ${problem.source}`))
    }
  }
})

t.test('no value of a variable with another form is taken as an option', async (t) => {
  const names = Object.keys(OPTION_FORMS)
  for (const name of names) t.equal(problemsOf({ [name]: 'openid' }).length, 1, name)
  const same = Object.keys(SETTING_VARIABLES.properties)
    .map((name) => name.toLowerCase())
    .filter((name) => !names.includes(name))
  for (const name of same) t.equal(problemsOf({ [name]: Symbol('x') }).length, 1, name)
})

t.test('an unknown option is a problem, with the option that was meant', async (t) => {
  t.same(problemsOf({ acess_token_ttl: 300 }), [
    'acess_token_ttl is not an option of redmint: did you mean access_token_ttl?',
  ])
  t.same(problemsOf({ ACCESS_TOKEN_TTL: 300 }), [
    'ACCESS_TOKEN_TTL is not an option of redmint: did you mean access_token_ttl?',
  ])
  const unknown = 'is not an option of redmint: remove it; docs/embedding.md has all options'
  t.same(problemsOf(JSON.parse('{"__proto__":1,"constructor":1}')), [
    `__proto__ ${unknown}`,
    `constructor ${unknown}`,
  ])
})

t.test('an option that is undefined counts as absent, and the issuer has no default', async (t) => {
  const { access_token_ttl } = completeSettings({ issuer: ISSUER, access_token_ttl: undefined } as never)
  t.equal(access_token_ttl, 900)
  t.match(problemsOf({ issuer: undefined }), [
    /^issuer must be an origin .*: https:\/\/auth\.example\.com or https:/,
  ])
})

t.test('problems of several options name the options', async (t) => {
  t.same(
    problemsOf({
      issuer: 'x',
      code_ttl: 0,
      signing_algs: ['ES256'],
      mtls_origin: 'https://mtls.example.com',
      client_certificate_secret: 'x'.repeat(32),
      nothing: 1,
    }).map((problem) => problem.split(':')[0]),
    [
      'code_ttl must be 1 or more',
      'nothing is not an option of redmint',
      'issuer must be an origin with or without a path of letters, digits and -._~, without query and slash at its end',
      'client_certificate_secret needs client_certificate_proxies, the proxies that send it',
      'id_token_alg is RS256, which is not in signing_algs (ES256)',
    ],
  )
})
