// Files of other systems, in the formats that these document: what is kept, changed and lost, and who can sign in after.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { secretHash } from '../../../../src/clients/record/client-secret.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { openFactor } from '../../../../src/factors/factor-key.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { Passwords } from '../../../../src/users/passwords.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { ROOT } from '../../../support/process.ts'
import { readClient, readUser } from '../../../support/records.ts'

const FIXTURES = join(ROOT, 'test/support/cli/move/fixtures')
const PASSWORD = 'correct horse battery'
const passwords = new Passwords({ settings: completeSettings({ issuer: 'https://a.example' }) })

interface AuditEntries {
  records: { place: string; id: string; fields: { fate: string; field: string; detail: string }[] }[]
  left_out: { place: string; name: string; left_behind: string }[]
  secrets: { client_id: string; client_secret: string }[]
  kinds: Record<string, Record<string, number>>
}

/** Imports a fixture: first dry, then for real, then once more. Returns what was told, and the records. */
async function imported(t: Test, fixture: string, system: string, ...flags: string[]) {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  const command = ['import', join(FIXTURES, fixture), '--from', system, ...flags, '--json']
  const dry = parsed<AuditEntries>(await redmint([...command, '--dry-run']))
  for (const name of ['user', 'client'])
    for await (const { id } of storage.records.list({ name })) t.fail(`a dry run wrote ${id}`)
  const answer = await redmint(command)
  t.match(answer, { code: 0, stderr: '' })
  t.notMatch(answer.stdout, /\$2b\$|\$argon2|\$pbkdf2/)
  const told = parsed<AuditEntries>(answer)
  t.strictSame(told.records, dry.records, 'a dry run says the same')
  t.strictSame(told.kinds, dry.kinds)
  const again = parsed<AuditEntries>(await redmint(command))
  for (const [kind, counts] of Object.entries(again.kinds))
    t.strictSame(
      counts,
      { ...counts, created: 0, changed: 0, refused: 0, kept: 0 },
      `a second run changes no ${kind}`,
    )
  const fates = (id: string) =>
    (told.records.find((record) => record.id === id)?.fields ?? []).map(
      ({ fate, field }) => `${fate} ${field}`,
    )
  return { storage, told, fates, redmint }
}

// https://www.keycloak.org/server/importExport, with the representations of
// https://www.keycloak.org/docs-api/latest/rest-api/index.html (RealmRepresentation, CredentialRepresentation).
t.test('the export of a realm of Keycloak (M5)', async (t) => {
  const { storage, told, fates, redmint } = await imported(t, 'keycloak-realm.json', 'keycloak')
  t.strictSame(await readClient(storage, 'shop'), {
    client_id: 'shop',
    client_name: 'Shop',
    is_public: 'false',
    client_secret_hash: secretHash('wJ8dGqPZ0m4rX2vK7tYbN5cL1sHfA3eU'),
    client_secret_created_at: '2026-01-05T09:17:53.000Z',
    redirect_uris: 'https://shop.example.com/cb',
    post_logout_redirect_uris: 'https://shop.example.com/bye https://shop.example.com/cb',
    allowed_scopes: 'openid profile email address phone offline_access',
    grant_types: 'authorization_code refresh_token',
    access_token_format: 'jwt',
    access_token_ttl: '600',
    scope_claims_in_id_token: 'true',
    id_token_signed_response_alg: 'ES256',
    require_pkce: 'false',
    backchannel_logout_uri: 'https://shop.example.com/logout',
  })
  t.match(await readClient(storage, 'spa'), {
    is_public: 'true',
    first_party: 'true',
    require_pkce: undefined,
  })
  const [{ client_id, client_secret } = { client_id: '', client_secret: '' }] = told.secrets
  t.equal(client_id, 'billing')
  t.match(await readClient(storage, 'billing'), {
    client_secret_hash: secretHash(client_secret),
    grant_types: 'client_credentials',
    allowed_scopes: 'billing.read',
    scope_claims_in_id_token: undefined,
  })
  t.strictSame(
    told.left_out.map(({ name }) => name),
    ['account', 'https://saml.example.com', 'orders-api', 'service-account-billing'],
  )
  for (const fate of [
    'lost redirectUris',
    'lost implicitFlowEnabled',
    'lost directAccessGrantsEnabled',
    'lost protocolMappers',
    'lost attributes.acr.loa.map',
    'lost attributes.access.token.signed.response.alg',
    'changed attributes.post.logout.redirect.uris',
    'changed id_token',
    'kept secret',
  ])
    t.ok(fates('shop').includes(fate), fate)
  const wildcards = told.records.flatMap(({ fields }) => fields.filter(({ detail }) => detail.includes('/*')))
  t.match(wildcards, [{ fate: 'lost', field: 'redirectUris', detail: /wildcards are not supported/ }])
  t.match(told.records.at(-1), {
    place: 'the file',
    fields: [{ fate: 'lost', field: 'groups' }, { field: 'roles' }, {}, {}],
  })

  const { password_hash: argon2, ...ada } = (await readUser(storage, 'ada')) ?? {}
  t.strictSame(ada, {
    sub: '8f2b1f0e-0000-4000-8000-000000000001',
    given_name: 'Ada',
    family_name: 'Lovelace',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    email_verified: 'true',
    phone_number: '+49 30 1',
    'claim:department': '"Sales"',
    'claim:groups': '["/staff","/staff/admins"]',
  })
  t.match(argon2, /^\$argon2id\$v=19\$m=7168,t=5,p=1\$/)
  const { email_verified, password_hash: sha256 } = (await readUser(storage, 'grace')) ?? {}
  t.equal(email_verified, undefined, 'an address is not verified unless the file says so')
  const edsger = await readUser(storage, 'edsger')
  t.match(edsger, { disabled: 'true', second_factor: 'required' })
  for (const hash of [argon2, sha256, edsger?.password_hash]) {
    t.ok(await passwords.verify(PASSWORD, hash))
    t.notOk(await passwords.verify('another one', hash))
  }
  t.equal((await readUser(storage, 'alan'))?.password_hash, undefined)
  t.ok(fates('alan').includes('lost credentials.password'))
  t.ok(fates('alan').includes('lost federatedIdentities'))
  t.ok(fates('edsger').includes('lost credentials.otp'))

  const secretOf = async (username: string) => {
    const { factors } = await findFactors({ storage }, username)
    return openFactor({ storage, settings: {} }, username, factors.totp?.secret ?? '')
  }
  t.equal(String(await secretOf('ada')), 'Yz1Gm0sBkU6pXcLq3TfN', 'the characters themselves')
  t.equal((await secretOf('grace'))?.toString('hex'), '48656c6c6f21deadbeef48656c6c6f21deadbeef', 'base32')
  t.match(await redmint(['client', 'lint']), { stdout: /\b0 errors/ })
  t.match(await redmint(['user', 'lint']), { stdout: /\b0 errors/ })
})

// What Keycloak 26.7.3 wrote itself, but for the settings of the realm; test/foreign/keycloak.foreign.ts makes another one.
t.test('a realm that a real Keycloak exported', async (t) => {
  const { storage, told, fates } = await imported(t, 'keycloak-26-realm.json', 'keycloak')
  t.match(await readClient(storage, 'shop'), {
    redirect_uris: 'https://shop.example.com/silent https://shop.example.com/callback',
    backchannel_logout_uri: 'https://shop.example.com/logout',
    access_token_ttl: '600',
    scope_claims_in_id_token: 'true',
  })
  t.match(await readClient(storage, 'tv'), { grant_types: /device_code/, redirect_uris: '' })
  t.ok(fates('spa').includes('lost redirectUris'), 'a wildcard')
  t.ok(
    told.left_out.some(({ name }) => name === 'service-account-billing'),
    'the user that stands for a client',
  )
  for (const algorithm of ['pbkdf2', 'pbkdf2-sha256', 'pbkdf2-sha512']) {
    const { password_hash } = (await readUser(storage, `user-${algorithm}`)) ?? {}
    t.ok(await passwords.verify(PASSWORD, password_hash), algorithm)
    t.notOk(await passwords.verify('another one', password_hash), algorithm)
  }
  t.match(await readUser(storage, 'ada'), {
    sub: 'e2cfc4e7-c134-4de5-a5e3-4c312c967a78',
    'claim:groups': '["/staff/admins","/staff"]',
  })
  t.equal((await readUser(storage, 'temp'))?.password_hash, undefined)
  const { factors } = await findFactors({ storage }, 'totp')
  const key = await openFactor({ storage, settings: {} }, 'totp', factors.totp?.secret ?? '')
  t.equal(String(key), 'e5PHuD2d72sabdwuy58M')
})

t.test('a realm without its people says so', async (t) => {
  const { redmint } = createCli()
  const realm = JSON.stringify({ realm: 'acme', clients: [] })
  const { stdout } = await redmint(['import', '-', '--from', 'keycloak', '--dry-run'], realm)
  t.match(stdout, /lost {5}users: nobody is in the file: export with --users realm_file/)
  const users = JSON.stringify({ realm: 'acme', users: [] })
  const others = await redmint(['import', '-', '--from', 'keycloak', '--dry-run'], users)
  t.notMatch(others.stdout, /nobody is in the file/, 'a file of people alone')
})

// https://www.ory.com/docs/hydra/cli/hydra-list-oauth2-clients: the clients of
// https://www.ory.com/docs/hydra/reference/api (listOAuth2Clients).
t.test('the clients of Ory Hydra', async (t) => {
  const { storage, told, fates, redmint } = await imported(t, 'hydra-clients.json', 'hydra')
  const web = '3f1c2a5e-7a0c-4a39-9d0b-0d7a7f6f9c11'
  t.strictSame(
    told.secrets.map(({ client_id }) => client_id),
    [web],
  )
  const {
    client_secret_hash,
    client_secret_created_at: _,
    ...stored
  } = (await readClient(storage, web)) ?? {}
  t.equal(client_secret_hash, secretHash(told.secrets[0]?.client_secret ?? ''))
  t.strictSame(stored, {
    client_id: web,
    client_name: 'Web',
    client_uri: 'https://web.example.com',
    contacts: 'ops@example.com',
    is_public: 'false',
    token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris: 'https://web.example.com/cb',
    post_logout_redirect_uris: 'https://web.example.com/bye',
    allowed_scopes: 'openid offline_access profile',
    grant_types: 'authorization_code refresh_token',
    refresh_tokens: 'offline_access',
    access_token_format: 'jwt',
    access_token_ttl: '3600',
    require_pkce: 'false',
    first_party: 'true',
  })
  for (const fate of [
    'lost client_secret',
    'changed scope',
    'lost audience',
    'lost response_types',
    'lost metadata',
    'lost frontchannel_logout_uri',
    'lost grant_types',
    'lost client_credentials_grant_access_token_lifespan',
  ])
    t.ok(fates(web).includes(fate), fate)
  t.match(await readClient(storage, 'cli'), { is_public: 'true', client_secret_hash: '' })
  t.match(await readClient(storage, 'worker'), {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: /"kid":"worker"/,
  })
  t.match(await redmint(['client', 'lint']), { stdout: /\b0 errors/ })
})

// https://auth0.com/docs/manage-users/user-migration/bulk-user-exports, and for the hashes
// https://support.auth0.com/center/s/article/How-to-Use-the-Password-Hashes-Export-from-Auth0.
t.test('the users of Auth0, with and without the export of password hashes', async (t) => {
  const hashes = ['--passwords', join(FIXTURES, 'auth0-passwords.ndjson')]
  const { storage, fates } = await imported(t, 'auth0-users.ndjson', 'auth0', ...hashes)
  const { password_hash, ...nico } = (await readUser(storage, 'nico@example.com')) ?? {}
  t.strictSame(nico, {
    sub: 'auth0|5dea9f9c82dd7c0e76e4ec93',
    name: 'Nico',
    nickname: 'nico',
    given_name: 'Nico',
    family_name: 'Sabena',
    picture: 'https://s.gravatar.com/avatar/0',
    email: 'nico@example.com',
    email_verified: 'true',
  })
  t.ok(await passwords.verify(PASSWORD, password_hash))
  t.ok(fates('nico@example.com').includes('lost app_metadata'))
  const euclid = await readUser(storage, 'euclid')
  t.match(euclid, {
    sub: 'auth0|euclid',
    disabled: 'true',
    second_factor: 'required',
    email_verified: undefined,
  })
  t.ok(await passwords.verify(PASSWORD, euclid?.password_hash))
  t.match(await readUser(storage, 'mo@example.com'), { sub: 'google-oauth2|113', password_hash: undefined })
  t.ok(fates('mo@example.com').includes('lost password'))

  const alone = await imported(t, 'auth0-passwords.ndjson', 'auth0')
  t.match(await readUser(alone.storage, 'euclid@example.com'), {
    sub: 'auth0|euclid',
    email_verified: undefined,
  })
})

// https://auth0.com/docs/api/management/v2/clients/get-clients
t.test('the clients of Auth0', async (t) => {
  const { storage, told, fates } = await imported(t, 'auth0-clients.json', 'auth0')
  const id = 'AaiyAPdpYdesoKnqjj8HJqRn4T5titww'
  t.strictSame(await readClient(storage, id), {
    client_id: id,
    client_name: 'My application',
    logo_uri: 'https://app.example.com/logo.png',
    is_public: 'false',
    client_secret_hash: secretHash('MG_TNT2ver-SylNat-_VeMmd-4m0Waba0jr1troztBniSChEw0glxEmgEi2Kw40H'),
    token_endpoint_auth_method: 'client_secret_post',
    redirect_uris: 'https://app.example.com/callback',
    post_logout_redirect_uris: 'https://app.example.com',
    allowed_scopes: 'openid profile email offline_access',
    grant_types: 'authorization_code refresh_token',
    refresh_tokens: 'offline_access',
    refresh_token_rotation: 'false',
    refresh_token_ttl: '2592000',
    id_token_ttl: '36000',
    scope_claims_in_id_token: 'true',
    id_token_signed_response_alg: 'RS256',
    require_pkce: 'false',
    first_party: 'true',
  })
  for (const fate of ['lost callbacks', 'lost grant_types', 'changed scopes', 'lost web_origins'])
    t.ok(fates(id).includes(fate), fate)
  t.strictSame(
    told.left_out.map(({ name }) => name),
    ['all'],
  )
  t.strictSame(told.secrets, [])
})

// https://www.authelia.com/configuration/identity-providers/openid-connect/clients/ and
// https://www.authelia.com/configuration/first-factor/file/ (https://www.authelia.com/schemas/latest/json-schema/).
t.test('the configuration and the users of Authelia', async (t) => {
  const { storage, told, fates } = await imported(t, 'authelia-configuration.yml', 'authelia')
  const id = 'unique-client-identifier'
  t.strictSame(
    told.secrets.map(({ client_id }) => client_id),
    [id],
    'a digest for passwords is no digest of a secret',
  )
  t.match(await readClient(storage, id), {
    client_name: 'My Application',
    required_acr: '2',
    first_party: 'true',
    require_pkce: undefined,
    allowed_groups: undefined,
    refresh_tokens: 'offline_access',
    allowed_scopes: 'openid groups email profile offline_access',
  })
  t.ok(fates(id).includes('lost client_secret'))
  const plain = await readClient(storage, 'plain')
  t.match(plain, {
    client_secret_hash: secretHash('a-secret-that-is-long-enough-for-anybody'),
    allowed_scopes: 'openid groups profile email',
    first_party: undefined,
  })
  t.equal(plain?.allowed_groups, '', 'nobody may use a client of a policy that is not known')
  t.ok(fates('plain').includes('changed authorization_policy'))

  const users = await imported(t, 'authelia-users_database.yml', 'authelia')
  const { sub, password_hash, ...john } = (await readUser(users.storage, 'john')) ?? {}
  t.match(sub, /^[\w-]{22}$/)
  t.strictSame(john, {
    name: 'John Doe',
    given_name: 'John',
    email: 'john.doe@example.com',
    'claim:groups': '["admins","dev"]',
  })
  t.ok(await passwords.verify(PASSWORD, password_hash))
  t.match(await readUser(users.storage, 'harry'), { disabled: 'true', password_hash: undefined })
  t.ok(users.fates('harry').includes('lost password'))
  t.ok(users.fates('john').includes('lost extra'))
})

t.test('the report in words ends with a count', async (t) => {
  const { redmint } = createCli()
  const file = join(FIXTURES, 'keycloak-realm.json')
  const { stdout } = await redmint(['import', file, '--from', 'keycloak', '--dry-run'])
  t.match(stdout, /^clients\[1\]: client "shop"\n {2}kept {5}redirectUris, /)
  t.match(stdout, /\n {2}lost {5}redirectUris: https:\/\/shop\.example\.com\/\* has a "\*"/)
  t.match(stdout, /\n7 records: \d+ fields kept, \d+ changed, \d+ lost; 4 records left out\.\n/)
  t.match(stdout, /\nNothing was written\.\n$/)
  t.notMatch(stdout, /wJ8dGqPZ0m4rX2vK7tYbN5cL1sHfA3eU|Yz1Gm0sBkU6pXcLq3TfN/)
})

t.test('hostile files of other systems (M5)', async (t) => {
  const { redmint, storage } = createCli()
  const bad: [system: string, text: string, problem: RegExp][] = [
    ['keycloak', '{', /not valid JSON/],
    ['keycloak', '[]', /no export of a realm/],
    ['hydra', '{}', /no list of clients/],
    ['auth0', '{"users":7}', /neither a client nor a user|neither clients nor users/],
    ['authelia', 'users: *a', /not valid YAML/],
    ['authelia', 'a: b', /neither users nor/],
    ['keycloak', '{"realm":"r","users":[7]}', /users\[0\]: user username must be a text/],
    ['keycloak', '{"realm":"r","users":[{"username":"a b"}]}', /users\[0\]: user "a b" username must be/],
    [
      'keycloak',
      '{"realm":"r","users":[{"username":"a"},{"username":"A"}]}',
      /users\[1\]: user "A" is in the file twice/,
    ],
    [
      'keycloak',
      '{"realm":"r","clients":[{"clientId":7}]}',
      /clients\[0\]: client client_id must be a string/,
    ],
    ['hydra', '[null]', /\[0\]: client client_id must be/],
    ['hydra', '[{"client_id":"a","jwks_uri":"http://x"}]', /\[0\]: client "a" jwks_uri/],
  ]
  for (const [system, text, problem] of bad) {
    const answer = await redmint(['import', '-', '--from', system], text)
    t.match(`${answer.stderr}${answer.stdout}`, problem, text)
  }
  const text =
    '{"realm":"r","users":[{"username":"a","credentials":7,"attributes":{"__proto__":["x"]},"__proto__":1}]}'
  t.match(await redmint(['import', '-', '--from', 'keycloak'], text), { code: 0 })
  t.strictSame(Object.keys((await readUser(storage, 'a')) ?? {}), ['sub'])
  t.equal(Object.hasOwn(Object.prototype, 'x'), false)
})

t.test('a hash of Auth0 that redmint does not verify is lost, and its user is not', async (t) => {
  const { redmint, storage } = createCli()
  const user = { user_id: 'auth0|1', username: 'old', passwordHash: '$md5$abc' }
  const answer = await redmint(['import', '-', '--from', 'auth0'], JSON.stringify(user))
  t.match(answer, { code: 0, stdout: /lost {5}passwordHash: redmint does not verify it/ })
  t.strictSame(await readUser(storage, 'old'), { sub: 'auth0|1' })
})
