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
