// The claims at the UserInfo endpoint (OpenID Connect Core §5): which, of which types, until when.

import t from 'tap'
import { ask, populate, readTokens, SIGN_IN, tokensOf, userInfo } from '../../../support/claims/sign-ins.ts'
import { forEachService, type PlacedService, type Start } from '../../../support/matrix.ts'
import { changeUser, createUser, removeUser } from '../../../support/records.ts'
import { startService } from '../../../support/service.ts'

async function startWithAccounts(start: Start, demo: false | 'public' = false): Promise<PlacedService> {
  const service = await start({ demo, pairwise_salt: 'a salt of the tests' })
  await populate(service.storage)
  return service
}

const sub = 'sub-of-alice'
const PROFILE = {
  name: 'Alice Example',
  given_name: 'Alice',
  preferred_username: 'alice',
  zoneinfo: 'Europe/Berlin',
  updated_at: 1_700_000_000,
}
const EMAIL = { email: 'alice@example.com', email_verified: true }
const PHONE = { phone_number: '+49 30 1234', phone_number_verified: false }
const ADDRESS = { address: { locality: 'Berlin', country: 'DE' } }

forEachService(t, 'each scope gives its claims, with their types', async (t, start) => {
  const service = await startWithAccounts(start)
  const cases = {
    openid: {},
    'openid profile': PROFILE,
    'openid email': EMAIL,
    'openid phone': PHONE,
    'openid address': ADDRESS,
    'openid api.read offline_access': {},
    'phone address openid email profile': { ...PROFILE, ...EMAIL, ...PHONE, ...ADDRESS },
  }
  for (const [scope, claims] of Object.entries(cases)) {
    const tokens = await tokensOf(service, 'shop', { scope })
    t.strictSame((await userInfo(service, tokens)).json, { sub, ...claims }, scope)
    t.strictSame(
      Object.keys(tokens.claims).sort(),
      ['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sid', 'sub'],
      'the id_token has only the claims that were requested for it',
    )
  }
  const byPost = await tokensOf(service, 'shop', { scope: 'openid email' })
  const answer = await service.post('/userinfo', { access_token: byPost.access_token })
  t.strictSame(answer.json, { sub, ...EMAIL })
})

forEachService(t, 'every standard claim is returned, and no other field of the account', async (t, start) => {
  const service = await startWithAccounts(start)
  const texts = {
    name: 'n',
    given_name: 'g',
    family_name: 'f',
    middle_name: 'm',
    nickname: 'k',
    preferred_username: 'p',
    profile: 'https://a.example/me',
    picture: 'https://a.example/me.png',
    website: 'https://a.example/',
    email: 'a@a.example',
    gender: 'other',
    birthdate: '0000-03-01',
    zoneinfo: 'Europe/Paris',
    locale: 'fr-CA',
    phone_number: '+1 (604) 555-1234;ext=5678',
  }
  const address = {
    formatted: '1 Road\nTown',
    street_address: '1 Road',
    locality: 'Town',
    region: 'R',
    postal_code: '007',
    country: 'X',
  }
  await createUser(service.storage, 'full', {
    sub: 'sub-of-full',
    ...texts,
    email_verified: 'false',
    phone_number_verified: 'true',
    updated_at: '0',
    address: JSON.stringify({ ...address, planet: 'Earth' }),
    password_hash: 'a hash',
    shoe_size: '43',
    iss: 'https://evil.example',
    is_admin: 'true',
  })
  const tokens = await tokensOf(service, 'shop', {
    username: 'full',
    subject: 'sub-of-full',
    scope: 'openid profile email address phone',
  })
  t.strictSame((await userInfo(service, tokens)).json, {
    ...texts,
    email_verified: false,
    phone_number_verified: true,
    updated_at: 0,
    address,
    sub: 'sub-of-full',
  })
})

t.test('preferred_username is the username, unless the account says otherwise', async (t) => {
  const service = await startService(t, { demo: false })
  await populate(service.storage)
  const cases: [username: string, claims: Record<string, string>, scope: string, told: string | undefined][] =
    [
      ['ann', {}, 'openid profile', 'ann'],
      ['ann', {}, 'openid email', undefined],
      ['ben', { preferred_username: 'Benny' }, 'openid profile', 'Benny'],
      ['cleo', { preferred_username: ' ' }, 'openid profile', undefined],
      // The scope email gives an address, and no other one.
      ['dan@example.com', {}, 'openid profile', undefined],
      ['dan@example.com', {}, 'openid profile email', 'dan@example.com'],
    ]
  for (const [username, claims, scope, told] of cases) {
    const subject = `sub-of-${username}`
    await createUser(service.storage, username, { sub: subject, ...claims })
    const tokens = await tokensOf(service, 'shop', { username, subject, scope })
    t.equal((await userInfo(service, tokens)).json.preferred_username, told, `${username}: ${scope}`)
  }
  const named = await tokensOf(service, 'shop', { claims: 'userinfo:preferred_username' })
  t.strictSame((await userInfo(service, named)).json, { sub, preferred_username: 'alice' })
})

forEachService(
  t,
  'empty and malformed claims are left out, and the log names the field',
  async (t, start) => {
    const service = await startWithAccounts(start)
    const wrong = {
      email_verified: 'secret-yes',
      phone_number_verified: '1',
      updated_at: 'secret-soon',
      address: 'secret-street',
    }
    await createUser(service.storage, 'odd', { sub: 'sub-of-odd', name: ' ', email: 'o@a.example', ...wrong })
    const scope = 'openid profile email address phone'
    const tokens = await tokensOf(service, 'shop', { username: 'odd', subject: 'sub-of-odd', scope })
    service.log.length = 0
    t.strictSame((await userInfo(service, tokens)).json, {
      sub: 'sub-of-odd',
      preferred_username: 'odd',
      email: 'o@a.example',
    })
    const lines = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
    t.strictSame(lines.map(({ field }) => field).sort(), Object.keys(wrong).sort(), 'one line for each')
    t.notMatch(service.log.join(''), /secret-/)
    for (const address of [
      '[]',
      'null',
      '"x"',
      '{}',
      '{"locality":""}',
      '{"locality":5}',
      '{"locality":null}',
      '{',
    ]) {
      await changeUser(service.storage, 'odd', { set: { address }, unset: [] })
      const { status, json } = await userInfo(service, tokens)
      t.strictSame([status, json.address], [200, undefined], address)
    }
    for (const updated_at of ['-1', '1.5', '1e3', '0x10', ' 1', '9'.repeat(16)]) {
      await changeUser(service.storage, 'odd', { set: { updated_at }, unset: [] })
      const { status, json } = await userInfo(service, tokens)
      t.strictSame([status, json.updated_at], [200, undefined], updated_at)
    }
  },
)

forEachService(t, 'a token with a narrowed scope returns fewer claims', async (t, start) => {
  const service = await startWithAccounts(start)
  const wide = await tokensOf(service, 'shop', { scope: 'openid profile email phone' })
  const refresh = { grant_type: 'refresh_token', refresh_token: wide.refresh_token, scope: 'openid email' }
  const narrow = readTokens(await ask(service, 'shop', refresh))
  t.strictSame((await userInfo(service, narrow)).json, { sub, ...EMAIL })
  t.strictSame(
    (await userInfo(service, wide)).json,
    { sub, ...PROFILE, ...EMAIL, ...PHONE },
    'the token with the full scope still returns all',
  )
})

forEachService(t, 'claims requested by name at UserInfo (OpenID Connect Core §5.5)', async (t, start) => {
  const service = await startWithAccounts(start)
  const claims = 'userinfo:email userinfo:birthdate userinfo:address userinfo:nonsense id_token:name'
  const named = await tokensOf(service, 'shop', { claims })
  t.strictSame((await userInfo(service, named)).json, { sub, email: EMAIL.email, ...ADDRESS })
  const both = await tokensOf(service, 'shop', { claims, scope: 'openid email phone' })
  t.strictSame(
    (await userInfo(service, both)).json,
    { sub, ...EMAIL, ...PHONE, ...ADDRESS },
    'in addition to those of the scope',
  )
  const letter = await tokensOf(service, 'letter', { claims })
  t.strictSame(
    (await userInfo(service, letter)).json,
    { sub, email: EMAIL.email },
    'only if the client may request the scope of the claim',
  )
  t.notOk(Object.hasOwn(letter.claims, 'name'), 'in the id_token too')
  const refreshed = readTokens(
    await ask(service, 'shop', { grant_type: 'refresh_token', refresh_token: named.refresh_token }),
  )
  t.strictSame(
    (await userInfo(service, refreshed)).json,
    { sub, email: EMAIL.email, ...ADDRESS },
    'after a refresh too',
  )
})

forEachService(t, 'a removed, disabled or replaced user: 401 invalid_token', async (t, start) => {
  const service = await startWithAccounts(start, 'public')
  const { storage } = service
  const scope = 'openid profile'
  const endings: Record<string, (username: string) => Promise<unknown>> = {
    gone: (username) => removeUser(storage, username),
    disabled: (username) => changeUser(storage, username, { set: { disabled: 'true' }, unset: [] }),
    'with another sub': (username) => changeUser(storage, username, { set: { sub: 'another' }, unset: [] }),
    'with a sub in another case': (username) =>
      changeUser(storage, username, { set: { sub: 'Sub-of-x' }, unset: [] }),
    malformed: (username) => changeUser(storage, username, { set: { disabled: 'perhaps' }, unset: [] }),
  }
  for (const [index, [ending, end]] of Object.entries(endings).entries()) {
    const username = `user-${index}`
    await createUser(storage, username, { sub: 'sub-of-x', name: 'X' })
    const tokens = await tokensOf(service, 'shop', { username, subject: 'sub-of-x', scope })
    const shortcut = await tokensOf(service, 'shop', {
      username,
      subject: 'sub-of-x',
      scope,
      sid: undefined,
      amr: undefined,
      acr: undefined,
    })
    t.match((await userInfo(service, tokens)).json, { sub: 'sub-of-x', name: 'X' })
    await end(username)
    const { status, json, headers } = await userInfo(service, tokens)
    t.equal(status, 401, ending)
    t.equal(json.error, 'invalid_token')
    t.match(headers['www-authenticate'], /error="invalid_token"/)
    t.notMatch(JSON.stringify(json), /sub-of-x|account|disabled/)
    t.strictSame(
      (await userInfo(service, shortcut)).json,
      { sub: 'sub-of-x' },
      `${ending}, issued without a sign-in`,
    )
  }
})

forEachService(t, 'tokens that name no existing account return only the sub', async (t, start) => {
  const service = await startWithAccounts(start, 'public')
  const scope = 'openid profile'
  const without = { sid: undefined, amr: undefined, acr: undefined }
  await createUser(service.storage, 'undefined', { sub: SIGN_IN.subject, name: 'X' })
  for (const username of [undefined, 'nobody', '__proto__', 'a b', 'a{b}', 'x:y'])
    t.strictSame(
      (await userInfo(service, await tokensOf(service, 'shop', { ...without, username, scope }))).json,
      { sub: SIGN_IN.subject },
      String(username),
    )
})
