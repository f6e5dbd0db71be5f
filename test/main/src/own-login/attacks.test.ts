// What does not sign anybody in, or not a second time.
import t, { type Test } from 'tap'
import { ADMIN_SCOPES } from '../../../../src/core/admin-scopes.ts'
import { acceptVisit } from '../../../../src/own-login/answer.ts'
import { openChallenge } from '../../../../src/own-login/challenge.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { evidenceTag } from '../../../../src/storage/evidence.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { createAdministrator } from '../../../support/admin.ts'
import { ALICE, challengeOf, leave, startWithLogin } from '../../../support/own-login/application.ts'
import { changeUser, readUser } from '../../../support/records.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { pathOf, requestUrl } from '../../../support/scene/requests.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const NOT_FOUND = { status: 404, json: { type: 'urn:redmint:problem:not_found' } }
const CONFLICT = { status: 409, json: { type: 'urn:redmint:problem:conflict' } }
const LACKS = { status: 403, json: { type: 'urn:redmint:problem:lacks_right' } }

/** Whether a browser is signed in. */
async function isSignedIn(visitor: Visitor): Promise<boolean> {
  const found = asDeparture(await visitor.open(requestUrl({ client_id: 'own', prompt: 'none' })))
  return found.told.has('code')
}

/** Holds that a way back leads to a page that says so, and signs nobody in. */
async function leadsNowhere(t: Test, visitor: Visitor, path: string, message: string): Promise<Page> {
  const page = asPage(await visitor.open(path))
  t.notOk(await isSignedIn(visitor), message)
  return page
}

t.test('a challenge has one answer', async (t) => {
  const { backend, visitor, redmint, storage } = await startWithLogin(t)
  const browser = visitor()
  const challenge = await leave(browser)
  const says = [
    () => backend.accept(challenge),
    () => backend.accept(challenge, { sub: 'sub-of-bob' }),
    () => backend.refuse(challenge),
  ]
  const answers = await Promise.all(says.map((say) => say()))
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409], 'at once')
  const first = answers.findIndex(({ status }) => status === 200)
  const again = async (message: string) => {
    for (const [index, say] of says.entries())
      t.match(await say(), index === first ? { status: 200 } : CONFLICT, message)
    t.match(await backend.read(challenge), CONFLICT)
  }
  await again('only the same again, because the answer to it was lost')
  await browser.open(pathOf(answers[first]?.json.redirect_to))
  await again('after it was used')
  t.ok(redmint.counts.events.sign_in_succeeded <= 1)

  // At once where nothing puts one after the other, as at two replicas.
  const text = await leave(visitor())
  const open = openChallenge(redmint, text)
  if (open === undefined) throw new Error('no challenge')
  const means = { amr: ['pwd'], acr: '1', auth_time: 0 }
  const accept = (sub: string) => acceptVisit(redmint, open, { sub }, means, () => {})
  const outcomes = await Promise.all([accept('sub-of-alice'), accept('sub-of-bob')])
  t.equal(outcomes.filter((outcome) => 'redirect_to' in outcome).length, 1)

  t.match(await backend.accept(text, { ...ALICE, claims: { nickname: 'al' } }), CONFLICT)
  t.notMatch(await readUser(storage, 'alice'), { nickname: 'al' }, 'what does not count changes nothing')

  const refused = await leave(visitor())
  await backend.refuse(refused)
  t.match(await backend.accept(refused), CONFLICT, 'accept after refuse')
})

t.test('a verifier counts once, and in the browser that began', async (t) => {
  const { backend, visitor, redmint } = await startWithLogin(t)
  const browser = visitor()
  const path = await backend.pathAfter(await leave(browser))
  const stranger = visitor()
  t.equal((await leadsNowhere(t, stranger, path, 'a browser that has not begun')).status, 400)
  await leave(stranger)
  t.equal((await leadsNowhere(t, stranger, path, 'a browser with a request of its own')).status, 400)
  // With the state of that browser, and the verifier of this one.
  const own = await leave(stranger)
  const verifier = new URLSearchParams(path.split('?')[1]).get('login_verifier') ?? ''
  const mixed = `/oauth2/interaction?${new URLSearchParams({ state: own, login_verifier: verifier })}`
  const page = await leadsNowhere(t, stranger, mixed, 'the verifier of another browser')
  t.equal(alertOn(page), en.messages.login_failed_answer)

  t.ok(asDeparture(await browser.open(path)).told.get('code'), 'wrong attempts have not used it up')
  const { sign_ins } = redmint.counts
  const before = sign_ins.succeeded
  await browser.open(path)
  t.equal(sign_ins.succeeded, before, 'the second time')
})

t.test('who lures somebody to the page gets nothing', async (t) => {
  const { backend, visitor } = await startWithLogin(t)
  const attacker = visitor()
  const victim = visitor()
  const challenge = await leave(attacker)
  // The victim is signed in at the application, which answers at once.
  const path = await backend.pathAfter(challenge)
  t.equal((await leadsNowhere(t, victim, path, 'the victim')).status, 400)
  const bare = `/oauth2/interaction?state=${challenge}`
  const page = await leadsNowhere(t, attacker, bare, 'the attacker has no verifier')
  t.equal(alertOn(page), en.messages.login_failed_answer)
  for (const login_verifier of ['', 'x', `${'A'.repeat(16)}.${'A'.repeat(43)}`]) {
    const query = new URLSearchParams({ state: challenge, login_verifier })
    const guess = await leadsNowhere(t, attacker, `/oauth2/interaction?${query}`, 'nor guesses one')
    t.equal(alertOn(guess), en.messages.login_failed_answer)
  }
})

t.test('a verifier is for one visit of one request', async (t) => {
  const { backend, visitor, storage } = await startWithLogin(t)
  const browser = visitor()
  const path = await backend.pathAfter(await leave(browser))
  const verifier = new URLSearchParams(path.split('?')[1]).get('login_verifier') ?? ''
  const other = await leave(browser, { state: 'another request' })
  const query = new URLSearchParams({ state: other, login_verifier: verifier })
  await leadsNowhere(t, browser, `/oauth2/interaction?${query}`, 'another request of the same browser')

  const { transaction } = (await browser.page(`/oauth2/interaction?state=${other}`)).hidden
  const visits = `/oauth2/interaction?transaction=${transaction}`
  const again = async () => {
    const page = await browser.page(visits)
    return challengeOf(await browser.submit(page, { method: 'login' }))
  }
  const [first, second] = [await again(), await again()]
  const of_first = new URLSearchParams((await backend.pathAfter(first)).split('?')[1])
  const swapped = new URLSearchParams({ state: second, login_verifier: of_first.get('login_verifier') ?? '' })
  await leadsNowhere(t, browser, `/oauth2/interaction?${swapped}`, 'another visit of the same request')
  const kept = [...(await storage.evidence.list(evidenceTag('alice'))).values()]
  t.match(kept.at(-1), { purpose: /^login ./, browser: /^[\w-]{43}$/, account_state: /./ })
})

t.test('forged, foreign and expired challenges are none', async (t) => {
  const { backend, visitor, pass, redmint } = await startWithLogin(t, { access_token_ttl: 7200 })
  const challenge = await leave(visitor())
  const [kid = '', sealed = '', token = ''] = challenge.split('.')
  const page = await visitor().page('/device')
  for (const forged of [
    'x',
    `${kid}.${sealed}`,
    `${kid}.${sealed.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}.${token}`,
    `${page.hidden.transaction ?? kid}.${token}`,
    `${redmint.sealer.seal('page', '{}')}.${token}`,
    `${redmint.sealer.seal('pending', '{}')}.${token}`,
  ]) {
    for (const ask of [backend.read, backend.accept, backend.refuse]) t.match(await ask(forged), NOT_FOUND)
  }
  const good = openChallenge(redmint, challenge)?.pending
  for (const round of [
    { ...good?.round, method: 'provider:acme' },
    { ...good?.round, from: 'page' },
    { ...good?.round, challenge: '{"id":1}' },
  ]) {
    const other = redmint.sealer.seal('pending', JSON.stringify({ ...good, round }))
    t.match(await backend.read(`${other}.${token}`), NOT_FOUND, 'of another method, a page, or no visit')
  }
  for (let at = challenge.lastIndexOf('.') + 1; at < challenge.length; at += 7) {
    const other = challenge[at] === 'A' ? 'B' : 'A'
    const changed = challenge.slice(0, at) + other + challenge.slice(at + 1)
    t.match(await backend.read(changed), NOT_FOUND, `character ${at}`)
  }
  t.match(await backend.accept(challenge.slice(0, -1)), NOT_FOUND, 'cut by a column')
  t.match(await backend.accept(challenge), { status: 200 }, 'and nothing was used up')
  const late = await leave(visitor())
  pass(1801)
  for (const ask of [backend.read, backend.accept, backend.refuse]) t.match(await ask(late), NOT_FOUND)
})

t.test('who knows a challenge alone does not refuse for the browser', async (t) => {
  const { backend, visitor } = await startWithLogin(t)
  const browser = visitor()
  const challenge = await leave(browser)
  const refusal = `/oauth2/interaction?${new URLSearchParams({ state: challenge, error: 'access_denied' })}`
  t.match(asPage(await browser.open(refusal)).status, 200, 'the request still waits')
  const path = await backend.pathAfter(challenge)
  asPage(await browser.open(refusal))
  t.ok(asDeparture(await browser.open(path)).told.get('code'), 'also after the application accepted')
})

t.test('an answer that is refused changes nothing', async (t) => {
  const { backend, visitor, storage, redmint, setFields } = await startWithLogin(t)
  const claims = { groups: ['staff'] }
  const open = openChallenge(redmint, await leave(visitor()))
  if (open === undefined) throw new Error('no challenge')
  const means = { amr: ['pwd'], acr: '1', auth_time: 0 }
  const said = (sub: string) => acceptVisit(redmint, open, { sub, claims }, means, () => {})
  const [first, second] = await Promise.all([said('new-1'), said('new-2')])
  t.match([first, second], [{ redirect_to: String }, { problem: 'answered' }])
  t.ok(await readUser(storage, 'new-1'))
  t.notOk(await readUser(storage, 'new-2'))
  await setFields('alice', { disabled: 'true' })
  const challenge = await leave(visitor())
  t.match(await backend.accept(challenge, { ...ALICE, claims }), CONFLICT)
  t.notOk((await readUser(storage, 'alice'))?.['claim:groups'], 'one that is disabled')
  t.match(
    await backend.accept(challenge, { sub: 'sub-of-bob' }),
    { status: 200 },
    'the challenge still waits',
  )
})

t.test('what claims more than its acr is refused', async (t) => {
  const { backend, visitor } = await startWithLogin(t)
  const challenge = await leave(visitor())
  for (const method of ['mfa', 'mca', 'hwk', 'swk', 'phr', 'phrh'])
    t.match(await backend.accept(challenge, { ...ALICE, amr: ['pwd', method] }), {
      status: 422,
      json: { fields: [{ field: 'amr' }] },
    })
  t.match(await backend.accept(challenge, { ...ALICE, amr: ['mfa', 'hwk'], acr: '2' }), { status: 200 })
})

t.test('a verifier ends, also before its request does', async (t) => {
  const { backend, visitor, pass } = await startWithLogin(t)
  const browser = visitor()
  const path = await backend.pathAfter(await leave(browser))
  pass(301)
  await leadsNowhere(t, browser, path, 'late')
})

t.test('only who has the scope answers', async (t) => {
  const { call, tokenOf, visitor, backend } = await startWithLogin(t)
  const challenge = await leave(visitor())
  const others = ADMIN_SCOPES.filter((name) => !['redmint:write', 'redmint:logins:write'].includes(name))
  const token = await tokenOf(...others)
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/accept'],
    ['POST', '/refuse'],
  ] as const) {
    const url = `/logins/${challenge}${path}`
    t.match(await call(method, url, { token, body: ALICE }), { status: 403 })
    t.match(await call(method, url, { body: ALICE }), { status: 401 })
  }
  t.match(await backend.accept(challenge), { status: 200 }, 'and nothing was used up')
})

t.test('who is disabled does not sign in, whenever that happens', async (t) => {
  const { backend, visitor, storage, redmint, log, setFields } = await startWithLogin(t)
  const browser = visitor()
  const path = await backend.pathAfter(await leave(browser))
  await setFields('alice', { disabled: 'true' })
  const page = await leadsNowhere(t, browser, path, 'between the answer and the way back')
  t.equal(alertOn(page), en.messages.login_failed_answer)
  t.match(await backend.accept(await leave(browser)), CONFLICT, 'and before')
  t.match(await readUser(storage, 'alice'), { disabled: 'true' })
  t.equal(redmint.counts.events.sign_in_failed, 1)
  t.match(log.join(''), /"reason":"disabled_user"/)
  await setFields('alice', { disabled: 'false', demo: 'true' })
  t.match(await backend.accept(await leave(browser)), CONFLICT, 'a user of demo mode, which is off')

  const changed = visitor()
  const bob = await backend.pathAfter(await leave(changed), { sub: 'sub-of-bob' })
  await setFields('bob', { email: 'other@example.org' })
  await leadsNowhere(t, changed, bob, 'each change of the account ends it')
})

t.test('nobody signs an administrator in without the rights of that user', async (t) => {
  const { call, tokenOf, backend, visitor, storage, setFields } = await startWithLogin(t)
  await createAdministrator(storage, 'root', 'redmint:write')
  await setFields('root', {})
  const claims = { name: 'Mine' }
  const challenge = await leave(visitor())
  t.match(await backend.accept(challenge, { sub: 'sub-of-root', claims }), LACKS)
  t.notMatch(await readUser(storage, 'root'), { name: 'Mine' })
  const token = await tokenOf('redmint:write')
  const body = { sub: 'sub-of-root', claims }
  t.match(await call('POST', `/logins/${challenge}/accept`, { token, body }), { status: 200 })
})

t.test('what an application says fits into a record, or is refused', async (t) => {
  const { backend, visitor, storage, setFields } = await startWithLogin(t)
  const challenge = await leave(visitor())
  for (const [body, field] of [
    [{}, 'sub'],
    [{ sub: 'ä' }, 'sub'],
    [{ sub: 'x', username: 'with space' }, 'username'],
    [{ sub: 'x', acr: '3' }, 'acr'],
    [{ sub: 'x', amr: [] }, 'amr'],
    [{ sub: 'x', claims: { email: 1 } }, 'claims'],
    [{ sub: 'x', claims: { sub: 'y' } }, 'claims'],
    [{ sub: 'x', claims: { long: 'x'.repeat(9000) } }, 'claims'],
    [{ sub: 'x', admin: ['redmint:write'] }, 'admin'],
  ] as const) {
    const { status, json } = await backend.accept(challenge, body)
    t.match(
      { status, json },
      { status: 422, json: { fields: [{ field }] } },
      JSON.stringify(body).slice(0, 80),
    )
  }
  t.match(
    await backend.accept(challenge, { sub: 'x', username: 'bob' }),
    CONFLICT,
    'the name of another user',
  )
  await createAdministrator(storage, 'double', '', { sub: 'sub-of-alice' })
  await setFields('double', {})
  t.match(await backend.accept(challenge), CONFLICT, 'two users with one sub')
  await storage.records.take(USER, 'double')
  await changeUser(storage, 'alice', { set: { managed_by: 'deploy' } })
  const declared = await backend.accept(challenge, { ...ALICE, claims: { nickname: 'al' } })
  t.equal(declared.status, 200)
  t.notMatch(await readUser(storage, 'alice'), { nickname: 'al' }, 'a file declares it')
})

t.test('neither a request nor a backend chooses where the browser goes', async (t) => {
  const { backend, visitor, request } = await startWithLogin(t)
  const elsewhere = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
  const { headers } = await request({
    url: requestUrl({ client_id: 'own', login_url: 'https://evil.example' }),
    headers: elsewhere,
  })
  let location = String(headers.location)
  t.ok(location.startsWith('https://auth.example.com/oauth2/interaction?') || location.startsWith('/oauth2/'))
  const browser = visitor()
  const challenge = challengeOf(await browser.open(requestUrl({ client_id: 'own' })))
  location = String((await backend.accept(challenge, ALICE, elsewhere)).json.redirect_to)
  t.ok(location.startsWith('https://auth.example.com/oauth2/interaction?'))
  const more = `${pathOf(location)}&redirect_uri=https://evil.example&redirect_to=https://evil.example`
  t.equal(asDeparture(await browser.open(more)).location.origin, 'https://app.example.com')
})

t.test('who has no credentials leaves nothing in storage', async (t) => {
  const { visitor, storage } = await startWithLogin(t)
  const written: string[] = []
  for (const [part, verbs] of [
    ['records', ['put', 'create', 'change']],
    ['evidence', ['give']],
    ['counters', ['countFailure', 'countFailures']],
  ] as const) {
    for (const verb of verbs) {
      const store = storage[part] as unknown as Record<string, (...args: unknown[]) => unknown>
      const original = store[verb]?.bind(store)
      store[verb] = (...args) => {
        written.push(`${part}.${verb}`)
        return original?.(...args)
      }
    }
  }
  await leave(visitor())
  t.same(written, [])
})
