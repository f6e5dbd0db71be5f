// `redmint dev check-client` against known good clients of other projects (D9), in the applications of docs/connect/: none has a
// way in for a stranger, none locks people out, and what each leaves open is named here.
import t, { type Test } from 'tap'
import { checkClientAt, type PartyToCheck } from '../../dev/check-client/check-client.ts'
import { SIGNED_ANSWER_CHECKS } from '../../dev/check-client/signed-answer-checks.ts'
import { type CheckReport, type Verdict, verdictOf } from '../../dev/report/report.ts'
import { startParts } from '../../dev/start.ts'
import { freePort, ROOT, run } from '../support/process.ts'
import { startRedis } from '../support/redis-server.ts'
import { connect } from './connected.ts'
import { startSpring } from './java.ts'
import { make } from './stranger.ts'

t.setTimeout(1_800_000)

const UNUSED = { no_userinfo: 'userinfo-of-another', no_refresh: 'refresh-answer-lost' } as const
const SIGNED = SIGNED_ANSWER_CHECKS.map(({ id }) => id)
/** The metadata are read when the program starts, before a check can change them. */
const READ_AT_START = 'discovery-issuer'

t.test('D9: Authlib in Flask', async (t) => {
  const { stage, check } = await startChecking(t)
  const app = await make(t, stage, 'flask')
  const first = await app.serve()
  // It trusts the metadata that it got, whomever they name, until the program ends.
  const { failed, stopped } = await check(app.origin, '/login', { only: ['discovery-issuer'] })
  t.same(failed, ['discovery-issuer'])
  t.match(stopped, [/ordinary sign-in fails.* start it again, and give --skip discovery-issuer\.$/])
  first.stop()
  await first.ended
  await app.serve()
  t.same(await check(app.origin, '/login', { skip: ['discovery-issuer'] }), {
    advice: [
      ...['answer-of-another-issuer', 'answer-without-issuer', 'state-repeated'],
      ...['issued-far-away', 'type-wrong', 'token-type-unknown'],
    ],
    skipped: [...SIGNED, UNUSED.no_userinfo, UNUSED.no_refresh],
  })
})

t.test('D9: x/oauth2 and go-oidc', async (t) => {
  const { stage, check } = await startChecking(t)
  const subject_check = { file: 'main.go', from: ' || idToken.Subject == ""', to: '' }
  const careless = await make(t, stage, 'go', { edits: [subject_check] })
  await careless.serve()
  t.same(await check(careless.origin, '/login', { only: ['subject-missing'] }), {
    failed: ['subject-missing'],
  })
  const app = await make(t, stage, 'go')
  await app.serve()
  t.same(await check(app.origin, '/login'), {
    skipped: [READ_AT_START, ...SIGNED, UNUSED.no_userinfo],
    advice: [
      ...['answer-of-another-issuer', 'answer-without-issuer', 'state-repeated', 'two-tabs'],
      ...['audience-several', 'authorized-party-wrong', 'issued-far-away', 'access-token-hash', 'type-wrong'],
      'token-type-unknown',
    ],
  })
})

t.test('D9: Auth.js', async (t) => {
  const { stage, check } = await startChecking(t)
  const app = await connect(t, stage, 'nextjs', [], 'localhost')
  await app.copy('auth-js.mjs')
  await app.start(process.execPath, ['--env-file=.env.local', 'auth-js.mjs'])
  t.same(await check(app.origin, '/api/auth/signin'), {
    advice: [
      ...[
        'state-repeated',
        'callback-twice',
        'two-tabs',
        'issued-far-away',
        'access-token-hash',
        'type-wrong',
      ],
      // What it leaves to TLS.
      ...['signature-wrong', 'key-unknown', 'key-in-header'],
    ],
    skipped: [...SIGNED, UNUSED.no_userinfo, UNUSED.no_refresh],
  })
})

t.test('D9: MSAL Node takes id_tokens that OpenID Connect Core §3.1.3.7 refuses', async (t) => {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const shop = { client_id: 'shop', client_secret: 'the secret of the shop that MSAL is' }
  const scopes = { allowed_scopes: ['openid', 'profile', 'offline_access'] }
  const client = { ...shop, ...scopes, redirect_uris: [`${origin}/callback`] }
  const { redmint, parts } = await startParts({ seed: { clients: [client] } })
  t.teardown(() => redmint.close())
  const environment = {
    ...{ ISSUER: redmint.issuer, PORT: String(port) },
    ...{ CLIENT_ID: shop.client_id, CLIENT_SECRET: shop.client_secret },
  }
  const program = run(t, process.execPath, [`${ROOT}test/foreign/hosts/msal.mjs`], environment, ROOT)
  t.ok(await program.prints(/ready/), program.stderr)
  const at = { url: `${origin}/login`, signed_in: `${origin}/`, signed_in_text: 'Sign out' }
  t.same(notPassed(await checkClientAt(parts, at)), {
    failed: [
      ...[
        'id-token-issuer',
        'audience-wrong',
        'expired',
        'expiry-missing',
        'alg-none',
        'public-key-as-secret',
      ],
      // After an answer of 500 or above it asks the token endpoint nothing for a minute.
      ...['token-endpoint-unavailable', 'token-answer-broken', 'token-answer-html'],
    ],
    advice: [
      ...['answer-of-another-issuer', 'answer-without-issuer', 'state-repeated', 'two-tabs'],
      ...['audience-several', 'authorized-party-wrong', 'issued-far-away', 'access-token-hash', 'type-wrong'],
      ...['signature-wrong', 'key-unknown', 'key-in-header', 'token-type-unknown'],
    ],
    skipped: [...SIGNED, UNUSED.no_userinfo, UNUSED.no_refresh],
  })
})

for (const boot of ['boot3', 'boot4']) {
  t.test(`D9: Spring Security: ${boot}`, async (t) => {
    const { stage, check } = await startChecking(t)
    const app = await connect(t, stage, 'spring', [], 'localhost')
    await startSpring(app, boot, 'webapp')
    t.same(await check(app.origin, '/oauth2/authorization/redmint'), {
      skipped: [READ_AT_START, ...SIGNED, UNUSED.no_refresh],
      advice: [
        ...[
          'answer-of-another-issuer',
          'answer-without-issuer',
          'state-repeated',
          'error-with-code',
          'two-tabs',
        ],
        ...['issued-far-away', 'access-token-hash'],
      ],
    })
  })
}

/** Starts a server for development where the command of an operator registers clients: on a Redis. */
async function startChecking(t: Test) {
  const redis = await startRedis(t)
  const { redmint, parts } = await startParts({ redis: redis.url })
  t.teardown(() => redmint.close())
  return {
    stage: { redis, issuer: redmint.issuer },
    /**
     * Checks an application whose first page has "Sign out" for those who are signed in, and returns what was not passed.
     * @param begins where a sign-in begins
     */
    async check(origin: string, begins: string, choice: Pick<PartyToCheck, 'only' | 'skip'> = {}) {
      const at = { url: `${origin}${begins}`, signed_in: `${origin}/`, signed_in_text: 'Sign out' }
      return notPassed(await checkClientAt(parts, { ...at, ...choice }))
    },
  }
}

/** Returns the ids of the checks that were not passed, by what came of them. */
function notPassed({ results, stopped }: CheckReport): Partial<Record<Verdict | 'stopped', string[]>> {
  const found: ReturnType<typeof notPassed> = stopped === undefined ? {} : { stopped: [stopped] }
  for (const result of results) {
    const verdict = verdictOf(result)
    if (verdict !== 'passed') found[verdict] = [...(found[verdict] ?? []), result.check.id]
  }
  return found
}
