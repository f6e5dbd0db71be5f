import t from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { maintainSigningKeys } from '../../../src/keys/rotate.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { signJwt } from '../../../src/tokens/jwt.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { claimsOf, ENVIRONMENT, ISSUED, ROTATION, signIn, signingKeyOf } from '../../support/cli/tokens.ts'
import { refreshing } from '../../support/contract/family.ts'
import { useRefreshToken } from '../../support/contract/use-refresh-token.ts'
import { withOtherCharacter } from '../../support/other-character.ts'
import { issueClientToken, newSuccessor } from '../../support/records.ts'

t.test('token inspect: an opaque token, and every reason why it is not accepted', async (t) => {
  const storage = new MemoryStorage()
  const { grant, access_token, refresh_token } = await signIn(storage)
  // After the sign-in: what it issued is over when its lifetime has passed from here.
  let now = Date.now()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT, now: () => now })

  const good = await redmint(['token', 'inspect', access_token])
  t.match(good, { code: 0, stdout: /^Accepted/ })
  t.match(good.stdout, /^client +web\nsubject +alice\nscope +openid a\nexpires +\S+Z \(in 1\d minutes\)\n/m)
  t.match(good.stdout, new RegExp(`^grant +${grant}, active$`, 'm'))
  const json = await redmint(['token', 'inspect', '-', '--json'], ` ${access_token}\n`)
  t.match(parsed(json), {
    accepted: true,
    type: 'access_token',
    ...ISSUED,
    grant: { id: grant, status: 'active' },
  })
  t.notOk((good.stdout + json.stdout).includes(access_token))

  const refresh = await redmint(['token', 'inspect', refresh_token])
  t.match(refresh, { code: 1, stdout: /^Not accepted: it is a refresh token/ })
  now += 901_000
  const expired = await redmint(['token', 'inspect', '-', '--json'], access_token)
  t.match(expired, { code: 1, stderr: /^$/ })
  t.match(parsed(expired), {
    accepted: false,
    reasons: [/^it expired at .* \(\d+ seconds? ago\)$/],
  })
  await storage.families.revokeFamily(grant)
  t.match(parsed(await redmint(['token', 'inspect', refresh_token, '--json'])), {
    reasons: ['it is revoked', /refresh token/],
    grant: { status: 'revoked' },
  })
})

t.test('token inspect: a token of a client that a metadata document describes', async (t) => {
  const storage = new MemoryStorage()
  const token = await issueClientToken(storage, { client_id: 'https://tool.example.net/client.json' })
  const inspect = async (environment: Record<string, string>) => {
    const { redmint } = createCli({ storage, environment: { ...ENVIRONMENT, ...environment } })
    return (await redmint(['token', 'inspect', token])).code
  }
  t.equal(await inspect({}), 1)
  t.equal(await inspect({ CLIENT_ID_METADATA: 'on' }), 0)
  t.equal(await inspect({ CLIENT_ID_METADATA: 'on', CLIENT_ID_METADATA_DENY: '*.example.net' }), 1)
})

t.test('token inspect: a token that is bound says what it needs', async (t) => {
  const storage = new MemoryStorage()
  const now = Date.now()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT, now: () => now })
  const { grant, access_token } = await signIn(storage)
  const { findTokenAndFamily } = storage.families
  storage.families.findTokenAndFamily = async (token) => {
    const found = await findTokenAndFamily.call(storage.families, token)
    return { ...found, token: found.token && { ...found.token, jkt: 'K' } }
  }
  const key = await signingKeyOf(storage, now)
  const jwt = signJwt(key, 'at+jwt', { ...claimsOf(grant, now), cnf: { 'x5t#S256': 'C' } })
  const cases = [
    [
      access_token,
      /with a DPoP proof of its key, and not without\./,
      /^bound to +DPoP key K$/m,
      { jkt: 'K' },
    ],
    [jwt, /with its client certificate, and/, /^bound to +client certificate C$/m, { 'x5t#S256': 'C' }],
  ] as const
  for (const [token, sentence, row, confirmation] of cases) {
    const inspected = await redmint(['token', 'inspect', token])
    t.match(inspected, { code: 0, stdout: sentence })
    t.match(inspected.stdout, row)
    t.match(parsed(await redmint(['token', 'inspect', token, '--json'])), { accepted: true, confirmation })
  }
})

t.test('token inspect: what a token says cannot control the terminal', async (t) => {
  const { redmint } = createCli()
  const odd = 'x\u009b31m\u202e\u2028\u200by'
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: odd, sub: odd, client_id: odd, scope: odd, aud: [odd], jti: odd }
  const token = `${part({ typ: odd, alg: odd, kid: odd })}.${part(claims)}.${'A'.repeat(86)}`
  for (const flags of [[], ['--json']]) {
    const { stdout, stderr } = await redmint(['token', 'inspect', token, ...flags])
    t.match(stdout, /x\\u\{?0*9b/)
    t.notMatch(stdout.replaceAll('\n', '') + stderr.trimEnd(), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  }
  const { stderr } = await redmint(['client', 'show', odd])
  t.match(stderr, /no client "x\\u\{9b\}/)
})

t.test('token inspect: not a token, an unknown one, a malformed one', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const unknown = `-${newToken(newFamilyId()).slice(1)}`
  const gone = await redmint(['token', 'inspect', unknown, '--json'])
  t.match(gone.code, 1, 'a token that begins with "-" is not an option')
  t.match(parsed(gone), { form: 'opaque', reasons: [/never issued here, or it expired and was deleted/] })
  for (const odd of ['nonsense', '', 'a.b']) {
    const answer = await redmint(['token', 'inspect', '-', '--json'], odd)
    t.match(parsed(answer), { form: 'unknown', reasons: [/not have the form of a token/] }, odd)
  }
  const token = newToken(newFamilyId())
  const malformed = {
    jti: token,
    type: 'access_token',
    revoked: 'no',
    client_id: 'web',
  }
  storage.families.findToken = async () => malformed
  storage.families.findTokenAndFamily = async () => ({ token: malformed, family: undefined })
  t.match(await redmint(['token', 'inspect', token]), {
    code: 1,
    stdout: /its record is malformed: expires_at is missing.*; revoked must be "true" or "false"/,
  })
})

t.test('token inspect and revoke: a refresh token that was replaced', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const { grant, refresh_token } = await signIn(storage)
  const inspect = async () => parsed(await redmint(['token', 'inspect', refresh_token, '--json']))
  const refresh = (token: string, operation: string) => {
    const successor = newSuccessor(token)
    const attempt = {
      ...refreshing(grant, operation),
      client_id: 'web',
      allowed_scopes: 'openid a',
      successor,
    }
    return useRefreshToken(storage, token, attempt).then(() => successor)
  }
  const next = await refresh(refresh_token, 'one')
  t.match(await inspect(), {
    accepted: false,
    reasons: [/that was replaced by a refresh, or expired; the last refresh was at \S+Z/],
  })
  const latest = await refresh(next, 'two')
  t.match(
    await inspect(),
    { accepted: false, reasons: [/of this sign-in that was replaced/] },
    'earlier ones, too',
  )
  t.match(await redmint(['token', 'revoke', refresh_token]), { code: 0, stdout: /every other token/ })
  t.match(await storage.families.findToken(latest), { revoked: 'true' })
})

t.test('token inspect: JWTs, validated like in a server', async (t) => {
  const storage = new MemoryStorage()
  const now = Date.now()
  const seconds = Math.floor(now / 1000)
  const { redmint } = createCli({ storage, environment: ENVIRONMENT, now: () => now })
  const es256 = await signingKeyOf(storage, now)
  const { grant } = await signIn(storage)
  const claims = claimsOf(grant, now)
  const sign = (change: object, typ: 'at+jwt' | 'JWT' = 'at+jwt', key = es256) =>
    signJwt(key, typ, { ...claims, ...change })
  const good = sign({})
  t.match(await redmint(['token', 'inspect', good]), { code: 0, stdout: /^Accepted[\s\S]*^client +web$/m })
  t.match(parsed(await redmint(['token', 'inspect', '-', '--json'], sign({ sub: 'web' }))), {
    accepted: true,
    form: 'jwt',
    subject: '',
    grant: { id: grant },
  })

  const other = withOtherCharacter(good, -5)
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`
  const cases: [name: string, token: string, reasons: RegExp[]][] = [
    ['expired', sign({ exp: seconds - 90 }), [/^it expired at .* \(1 minute ago\)$/]],
    ['issuer', sign({ iss: 'https://other.example' }), [/its issuer is "https:\/\/other.example", but this/]],
    [
      'audience',
      sign({ aud: ['x', 'y'] }),
      [/its audience "x" is neither this server nor an enabled resource/],
    ],
    ['id_token', sign({ aud: 'web', nonce: 'n' }, 'JWT'), [/it is an id_token/]],
    ['typ', sign({}, 'JWT'), [/its type is "JWT", but that of an access token is "at\+jwt"/]],
    ['no expiry', sign({ exp: undefined }), [/has no expiry time/]],
    ['claims', sign({ client_id: undefined }), [/client_id/]],
    ['kid', sign({}, 'at+jwt', { ...es256, kid: 'nobody' }), [/its key "nobody" is not published here/]],
    ['signature', other, [/signature is invalid/]],
    ['alg', unsigned, [/type is missing/, /its algorithm is "none"/]],
    ['no grant', sign({ jti: newToken(newFamilyId()) }), [/^its grant is gone$/]],
    ['spelling', `${good}=`, [/not a well-formed JWT/]],
    ['two dots', 'a.b.c', [/not a well-formed JWT/]],
  ]
  for (const [name, token, reasons] of cases) {
    const answer = await redmint(['token', 'inspect', '-', '--json'], token)
    const { accepted, reasons: said } = parsed<{ accepted: boolean; reasons: string[] }>(answer)
    t.strictSame(
      [answer.code, accepted, said.length],
      [1, false, reasons.length],
      `${name}: ${said.join('; ')}`,
    )
    t.match(said, reasons, name)
  }
  const before = await storage.signing_keys.read()
  t.match((await redmint(['token', 'inspect', '-'], other)).stdout, /not proven/)
  t.strictSame(await storage.signing_keys.read(), before)
})

t.test('token inspect writes nothing, and does not accept a key that is no longer published', async (t) => {
  const storage = new MemoryStorage()
  await maintainSigningKeys(storage.signing_keys, ROTATION, new Date(0))
  const [kid = '', json = ''] = Object.entries(await storage.signing_keys.read())[0] ?? []
  const over = { ...JSON.parse(json), status: 'retired', published_until: new Date(1000).toISOString() }
  const ring = { [kid]: JSON.stringify(over) }
  await storage.signing_keys.replace(await storage.signing_keys.read(), ring)
  const header = Buffer.from(JSON.stringify({ alg: over.alg, kid, typ: 'at+jwt' })).toString('base64url')
  const token = `${header}.${Buffer.from('{}').toString('base64url')}.AAAA`
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  t.match(await redmint(['token', 'inspect', token]), { code: 1, stdout: /is not published here/ })
  t.strictSame(await storage.signing_keys.read(), ring)
})

t.test('token revoke', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const revoked = async (token: string) => (await storage.families.findToken(token))?.revoked

  const one = await signIn(storage)
  t.match(parsed(await redmint(['token', 'revoke', one.access_token, '--json'])), {
    revoked: true,
    family: false,
  })
  t.strictSame([await revoked(one.access_token), await revoked(one.refresh_token)], ['true', 'false'])

  const two = await signIn(storage)
  t.match(await redmint(['token', 'revoke', '-'], two.refresh_token), {
    code: 0,
    stdout: /every other token/,
  })
  t.strictSame([await revoked(two.access_token), await revoked(two.refresh_token)], ['true', 'true'])
  t.match(await storage.families.findFamily(two.grant), { status: 'revoked' })

  const three = await signIn(storage)
  t.match(await redmint(['token', 'revoke', three.access_token, '--family']), { code: 0 })
  t.strictSame([await revoked(three.access_token), await revoked(three.refresh_token)], ['true', 'true'])

  const alone = await issueClientToken(storage)
  t.match(await redmint(['token', 'revoke', alone, '--family']), { code: 0, stdout: /nothing else was/ })
  t.equal(await revoked(alone), 'true')

  t.match(await redmint(['token', 'revoke', newToken(newFamilyId())]), {
    code: 1,
    stderr: /token is unknown/,
  })
  t.match(await redmint(['token', 'revoke', 'nonsense']), { code: 1, stderr: /not have the form/ })
})

t.test('token revoke: JWTs', async (t) => {
  const storage = new MemoryStorage()
  let now = Date.now()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT, now: () => now })
  const key = await signingKeyOf(storage, now)
  const issue = async (change: object = {}) => {
    const { grant, refresh_token } = await signIn(storage)
    const claims = { ...claimsOf(grant, now), ...change }
    return { grant, refresh_token, jti: claims.jti, jwt: signJwt(key, 'at+jwt', claims) }
  }
  const accepted = async (jwt: string) => parsed(await redmint(['token', 'inspect', jwt, '--json'])).accepted

  const one = await issue()
  t.equal(await accepted(one.jwt), true)
  const revoked = await redmint(['token', 'revoke', '-'], one.jwt)
  t.match(revoked, { code: 0, stdout: /^The token is revoked\.\nBelow \/api\/ .*; others accept it until 2/ })
  t.notMatch(revoked.stdout, one.jwt)
  t.equal(await accepted(one.jwt), false)
  t.match(await storage.families.findToken(one.jti), {
    ...ISSUED,
    scope: 'a',
    revoked: 'true',
    type: 'access_token',
  })
  t.match(await storage.families.findFamily(one.grant), { status: 'active' }, 'its family is not')
  t.match(await redmint(['token', 'revoke', one.jwt]), { code: 0 }, 'once more is fine')

  const two = await issue()
  const family = await redmint(['token', 'revoke', two.jwt, '--family', '--json'])
  t.match(parsed(family), { revoked: true, family: true, expires_at: /Z$/ })
  t.match(await storage.families.findFamily(two.grant), { status: 'revoked' })
  t.match(await storage.families.findToken(two.refresh_token), { revoked: 'true' })
  t.match(await storage.families.findToken(two.jti), { revoked: 'true' })

  const own = await issue({ sub: 'web', jti: newToken(newFamilyId()) })
  t.match(await redmint(['token', 'revoke', own.jwt, '--family']), { code: 0, stdout: /nothing else was/ })
  t.equal(await accepted(own.jwt), false)

  const held = await issue()
  await redmint(['client', 'disable', 'web'])
  t.match(await redmint(['token', 'revoke', held.jwt]), { code: 0 }, 'so that it does not come back')
  await redmint(['client', 'enable', 'web'])
  t.equal(await accepted(held.jwt), false)

  const three = await issue()
  now += 660_000
  for (const [jwt, reason] of [
    [three.jwt, /No server accepts this JWT, so nothing was revoked: it expired at .*\(1 minute ago\)\./],
    [`${three.jwt.slice(0, -5)}AAAAA`, /its signature is invalid/],
    [(await issue({ iss: 'https://other.example' })).jwt, /its issuer is "https:\/\/other\.example"/],
    ['e30.e30.e30', /its type is missing/],
  ] as const) {
    t.match(await redmint(['token', 'revoke', jwt]), { code: 1, stdout: /^$/, stderr: reason })
  }
  t.equal(await storage.families.findToken(three.jti), undefined, 'nothing is written for it')
})
