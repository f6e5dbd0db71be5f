// The commands that list and end sessions and grants. What they end is in test/proofs+weekly/system/admin/access.test.ts.
import t from 'tap'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { createSession } from '../../../src/sessions/session-store.ts'
import { grantListings } from '../../../src/tokens/grant-listings.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { createClient, createUser } from '../../support/records.ts'

const NOW = Date.now()

/** A user with two sessions and a grant of the client `app`. */
async function prepare() {
  const cli = createCli({ now: () => NOW })
  const { storage } = cli
  await createUser(storage, 'alice', { sub: 'sub-of-alice' })
  await createClient(storage, 'app', { client_name: 'App', is_public: 'true' })
  const user = { username: 'alice', sub: 'sub-of-alice', auth_time: 1, amr: 'pwd otp', acr: '1' }
  const browser = { name: 'browser', bound_to: 'password' }
  const signed_in = { username: 'alice', at: NOW - 1000 }
  await storage.counters.rememberBrowser('alice', browser, { max: 5, ttl: 60 }, signed_in)
  for (const sid of ['one', 'two']) {
    const times = { started_at: NOW - 1000, last_used_at: NOW - (NOW % 60_000), ends_at: NOW + 3_600_000 }
    const joined = { clients: new Set(['app']), families: new Map(), browser: 'Firefox on Linux' }
    await createSession(storage, `digest of ${sid}`, { sid, ...user, ...times, ...joined }, 3600)
  }
  const family = newFamilyId()
  const began = { username: 'alice', started_at: String(NOW - 1000) }
  await storage.families.grantOnce({
    token: newToken(family),
    is_jwt: false,
    single_uses: [],
    client_id: 'app',
    scope: 'api.read',
    access_token_ttl: 600,
    user: {
      subject: 'sub-of-alice',
      fields: { ...began, sid: 'two', session_started_at: String(NOW - 1000) },
      lists: grantListings({ family, client_id: 'app', ...began, started_at: NOW - 1000 }, 600),
    },
  })
  const status = async () => (await storage.families.findFamily(family))?.status
  return { ...cli, family, status }
}

t.test('sessions and grants are listed as text and JSON', async (t) => {
  const { redmint, family } = await prepare()
  const text = await redmint(['user', 'sessions', 'ALICE'.toLowerCase()])
  t.match(text, { code: 0, stdout: /^SID +STARTED +LAST USED +BROWSER/ })
  t.match(text.stdout, /two .* Firefox on Linux +pwd otp +app/)
  t.notMatch(text.stdout, /digest/)
  const { items } = parsed<{ items: object[] }>(await redmint(['user', 'sessions', 'alice', '--json']))
  t.match(items, [{ sid: 'two', amr: ['pwd', 'otp'] }, { sid: 'one' }])
  for (const args of [
    ['user', 'grants', 'alice'],
    ['grant', 'list', '--user', 'alice'],
    ['grant', 'list', '--client', 'app'],
    ['token', 'list', '--user', 'alice'],
    ['token', 'list', '--client', 'app'],
  ]) {
    t.match(
      (await redmint(args)).stdout,
      new RegExp(`^${family} +(app|alice) +api\\.read `, 'm'),
      args.join(' '),
    )
    t.match(parsed(await redmint([...args, '--json'])), { items: [{ grant: family, username: 'alice' }] })
  }
})

t.test('a session ends with its tokens, though no server runs', async (t) => {
  const { redmint, status, storage } = await prepare()
  t.match(await redmint(['session', 'end', 'alice', 'one']), { code: 0, stdout: /^Ended: 1 session\./ })
  t.equal(await status(), 'active')
  t.match(parsed(await redmint(['session', 'end', 'alice', 'two', '--json'])), { ended: 1 })
  t.equal(await status(), 'revoked')
  t.equal(await storage.queue.size('endings'), 0)
  t.match(await redmint(['session', 'end', 'alice', 'two']), { code: 1, stderr: /no session "two"/ })
  t.match(await redmint(['user', 'sessions', 'alice']), { code: 0, stdout: /signed in nowhere/ })
})

t.test('all sessions, all grants, and all sessions of everybody', async (t) => {
  for (const [args, pattern] of [
    [['session', 'end', 'alice', '--all'], /^Ended: 2 sessions/],
    [['grant', 'end', '--user', 'alice'], /^Ended: 1 grant\./],
    [['grant', 'end', '--client', 'app'], /^Ended: 1 grant\./],
    [['session', 'end-all', '--yes'], /^All sessions of all users are ended/],
  ] as const) {
    const { redmint, status, storage } = await prepare()
    t.match(await redmint(args), { code: 0, stdout: pattern }, args.join(' '))
    t.equal(await status(), 'revoked')
    t.equal(await storage.queue.size('endings'), 0)
    const { items } = parsed<{ items: object[] }>(await redmint(['user', 'sessions', 'alice', '--json']))
    t.equal(items.length, args[0] === 'session' ? 0 : 2)
  }
  const { redmint, status, family } = await prepare()
  t.match(await redmint(['grant', 'end', family]), { code: 0, stdout: /^Ended: 1 grant\./ })
  t.equal(await status(), 'revoked')
  t.match(await redmint(['grant', 'end', family]), { code: 1 })
  t.equal((await redmint(['session', 'end-all', '--yes'])).code, 0)
  t.match(await redmint(['session', 'end-all', '--yes']), { code: 1, stderr: /within the last minute/ })
})

t.test('what is missing or too much is refused', async (t) => {
  const { redmint } = await prepare()
  for (const args of [
    ['session', 'end', 'alice'],
    ['session', 'end', 'alice', 'one', '--all'],
    ['session', 'end-all'],
    ['grant', 'list'],
    ['grant', 'list', '--user', 'alice', '--client', 'app'],
    ['grant', 'end'],
    ['grant', 'end', 'x', '--user', 'alice'],
  ]) {
    t.equal((await redmint(args)).code, 2, args.join(' '))
  }
  for (const args of [
    ['user', 'sessions', 'bob'],
    ['user', 'grants', 'bob'],
    ['grant', 'list', '--client', 'web'],
    ['session', 'end', 'bob', '--all'],
  ]) {
    t.match(await redmint(args), { code: 1, stderr: /There is no (user|client)/ }, args.join(' '))
  }
})
