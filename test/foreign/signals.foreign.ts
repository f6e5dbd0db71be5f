// easyssf of crates.io, unpatched: it receives what redmint tells of people, by polling and by push, and signs what redmint
// receives.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { formatClient } from '../../src/clients/record/client-record.ts'
import { countEndings } from '../../src/logout/endings-queue.ts'
import { en } from '../../src/pages/messages/en.ts'
import { PASSWORD } from '../support/accounts.ts'
import { startRelyingParty } from '../support/browser/relying-party.ts'
import { setStage } from '../support/browser/stage.ts'
import { isRefused } from '../support/half-sent.ts'
import { freePort, run } from '../support/process.ts'
import { ON, SET_EVENT } from '../support/receivers.ts'
import { createClient } from '../support/records.ts'
import { scene } from '../support/scene.ts'
import { basic, bearer, CLIENTS, ISSUER, SECRET } from '../support/service.ts'
import { pushTo } from '../support/signals.ts'
import { assertionOf, claimsOf, issuerKey, JWT_BEARER, trustAt } from '../support/trusted-issuer.ts'
import { until } from '../support/until.ts'
import { HERE } from './connected.ts'

const PROGRAM = join(HERE, 'node_modules/.rust/debug/signals')
const SAID = en.messages
const stage = await setStage(t, ON)

/** Starts a receiver of the library, which makes its stream at the server. */
async function startReceiver(t: Test, client_id: string, delivery_method: 'push' | 'poll') {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const config = {
    'transmitter-issuer': stage.issuer,
    'delivery-method': delivery_method,
    oauth2: {
      'token-uri': `${stage.issuer}/oauth2/token`,
      'client-id': client_id,
      'client-secret': SECRET,
      scopes: ['ssf.manage'],
    },
    stream: {
      management: 'receiver',
      'events-requested': ['CaepSessionRevoked', 'CaepCredentialChange', 'RiscAccountDisabled'],
      description: 'The receiver of a test',
      'delete-on-shutdown': true,
    },
    poll: { interval: '1s', 'initial-delay': '0s' },
    push: {
      'delivery-endpoint-url': `${origin}/ssf/push`,
      'expected-auth-header': 'Bearer from-the-receiver',
    },
  }
  const program = run(t, PROGRAM, [], { CONFIG: JSON.stringify(config), PORT: String(port) })
  let over = false
  program.ended.then(() => {
    over = true
  })
  await until('the receiver listens', async () => {
    if (over) throw new Error(program.stdout + program.stderr)
    return !(await isRefused(port))
  })
  return {
    ...program,
    seen: () =>
      program.stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    /** Has the library ask something of the server. */
    async operate(verb: string, body = '') {
      const answer = await fetch(`${origin}/operator/${verb}`, { method: 'POST', body })
      const text = await answer.text()
      if (!answer.ok) throw new Error(text)
      return JSON.parse(text) as unknown
    },
  }
}

for (const [delivery, username] of [
  ['poll', 'alice'],
  ['push', 'bob'],
] as const)
  t.test(`easyssf is told of a person: ${delivery}`, async (t) => {
    const { issuer } = stage
    const payroll = await startRelyingParty(t, issuer, `payroll-${delivery}`, '127.0.0.1', {
      allowed_scopes: ['openid', 'email', 'ssf.manage'],
      grant_types: ['authorization_code', 'client_credentials'],
    })
    await stage.register(payroll.registration)
    const person = await stage.welcome()
    const { page } = person
    await page.goto(payroll.url({ scope: 'openid email' }))
    await person.signIn(username)
    await person.press('allow')
    await page.waitForURL((url) => url.origin === payroll.origin)
    const { claims } = await payroll.redeem()

    const receiver = await startReceiver(t, payroll.client_id, delivery)
    const { operate, seen } = receiver
    t.match(await operate('stream'), {
      iss: issuer,
      aud: payroll.client_id,
      delivery: { method: delivery === 'push' ? 'urn:ietf:rfc:8935' : 'urn:ietf:rfc:8936' },
      description: 'The receiver of a test',
    })
    t.equal(await operate('status'), 'enabled')
    await operate('verify')
    await until('it is verified', async () => (await operate('is-verified')) === true)
    const of = (type: string) => seen().filter(({ events }) => (events as string[]).includes(type))
    t.match(of(SET_EVENT.verification), [{ by: /rfc:893[56]$/ }])

    await page.goto(`${issuer}/account/password`)
    await page.fill('#password', `${PASSWORD} and more`)
    await page.click('main button.main')
    await until('a password that changed is told', () => of(SET_EVENT.credential_change).length > 0)
    const subject = { iss: issuer, sub: claims.sub }
    t.match(of(SET_EVENT.credential_change), [
      {
        ...subject,
        is_complex: false,
        caep: [
          { kind: 'CredentialChange', is_timed: true, credential_type: 'password', change_type: 'update' },
        ],
      },
    ])

    await operate('remove-subject', JSON.stringify({ format: 'iss_sub', ...subject }))
    await operate('add-subject', JSON.stringify({ format: 'iss_sub', ...subject }))
    t.equal(await operate('change-status', 'paused'), 'paused')
    await page.goto(`${issuer}/account`)
    await page.click('form[action$="/account/sign-out"] button')
    await person.sees(SAID.logout_done_title)
    t.equal(await operate('change-status', 'enabled'), 'enabled')
    await until('a session that ended is told', () => of(SET_EVENT.session_revoked).length > 0)
    t.match(of(SET_EVENT.session_revoked), [
      {
        ...subject,
        session: claims.sid,
        is_complex: true,
        caep: [
          {
            kind: 'SessionRevoked',
            is_timed: true,
            initiating_entity: 'user',
            reason_admin: { en: /signed out/ },
          },
        ],
      },
    ])
    const jtis = seen().map(({ jti }) => jti)
    t.equal(new Set(jtis).size, jtis.length, 'nothing is told twice')
    t.strictSame(await receiver.stop(), { code: 0, signal: null })
    const stream = await stage.redis.cli('EXISTS', `redmint:set-stream:${payroll.client_id}`)
    t.equal(stream.trim(), '0', 'the library deleted it')
  })

t.test('redmint takes what easyssf signs', async (t) => {
  const issuer = 'https://transmitter.example/realms/test'
  const alice = { format: 'iss_sub', iss: issuer, sub: '00u1' }
  const claims = [
    ['RiscOptIn', alice, { aud: ISSUER }],
    ['CaepSessionRevoked', alice, {}],
    ['CaepSessionRevoked', alice, { aud: ISSUER, exp: 4_000_000_000 }],
    ['RiscAccountDisabled', alice, { aud: ISSUER }],
  ]
  const program = run(t, PROGRAM, ['sign'], { CLAIMS: JSON.stringify(claims) })
  t.match(await program.ended, { code: 0 }, program.stderr)
  const { jwks, sets } = JSON.parse(program.stdout) as { jwks: { keys: object[] }; sets: string[] }
  const service = await scene(t, { trusted_issuers: true, receive_signals: 'on' })
  const key = issuerKey()
  const keys = JSON.stringify({ keys: [...jwks.keys, key.jwk] })
  await trustAt(service, key, { issuer, profile: 'id-jag', signals: true, jwks: keys })
  const agent = {
    ...CLIENTS.web,
    client_id: 'agent',
    allowed_scopes: ['openid'],
    grant_types: [JWT_BEARER],
  } as const
  await createClient(service.storage, 'agent', formatClient(agent))
  await service.setFields('alice', { linked_subjects: `${issuer}#00u1` })
  const assertion = assertionOf(key, claimsOf(issuer, '00u1', { client_id: 'agent', scope: 'openid' }), {
    typ: 'oauth-id-jag+jwt',
  })
  const { json } = await service.token({ grant_type: JWT_BEARER, assertion }, basic('agent'))
  const counts = async () =>
    (await service.get('/userinfo', bearer(String(json.access_token)))).status === 200
  const push = pushTo(service)
  const [nothing, of_another, with_end, good] = sets.map((set) => () => push('/signals', set))
  t.equal((await nothing?.())?.status, 202)
  t.match(await of_another?.(), { status: 400, json: { err: 'invalid_audience' } })
  t.match(await with_end?.(), { status: 400, json: { err: 'invalid_request' } })
  t.ok(await counts())
  t.equal((await good?.())?.status, 202)
  await until('it is ended', async () => (await countEndings(service.storage)) === 0)
  t.notOk(await counts())
})
