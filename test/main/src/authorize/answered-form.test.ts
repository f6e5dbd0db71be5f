// The last step of a person answers the client in the same request, where a redirect does it.
import t, { type Test } from 'tap'
import { sessionIdOf } from '../../../../src/sessions/browser.ts'
import { takeSession } from '../../../../src/sessions/session-store.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { type Around, observed } from '../../../support/observed.ts'
import { ANSWERED_BY_PAGE, requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest, REDIRECT_URI } from '../../../support/service.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const OWN = { client_id: 'own' }
const COOKIES = [/^__Host-redmint-browser=/, /^__Host-redmint-session=/]

const post = (visitor: Visitor, { hidden }: Page, fields: Record<string, string>) =>
  visitor.request('POST', '/oauth2/interaction', new URLSearchParams({ ...hidden, ...fields }).toString())
const byPassword = async (visitor: Visitor, more: Record<string, string> = OWN) =>
  post(visitor, await visitor.page(requestUrl(more)), { username: 'alice', password: PASSWORD })

/** A service whose storage calls go through `around`, while there is one. */
async function startAround(t: Test) {
  const now: { around?: Around | undefined } = {}
  const storage = observed(new MemoryStorage(), (call, run, args) =>
    now.around === undefined ? run() : now.around(call, run, args),
  )
  return { now, ...(await scene(t, { storage })) }
}

t.test('a sign-in answers the client, and the browser is signed in', async (t) => {
  const { visitor, token } = await scene(t)
  const alice = visitor()
  const { status, headers } = await byPassword(alice)
  t.equal(status, 303)
  t.match(headers['set-cookie'], COOKIES)
  const location = new URL(String(headers.location))
  t.equal(location.origin + location.pathname, REDIRECT_URI)
  const code = location.searchParams.get('code') ?? ''
  t.equal((await token(codeRequest(code, OWN))).status, 200)
  t.ok(asDeparture(await alice.open(requestUrl({ ...OWN, prompt: 'none' }))).told.get('code'))
})

t.test('a decision answers the client', async (t) => {
  const { visitor } = await scene(t)
  for (const [decision, answer] of [
    ['deny', 'error=access_denied'],
    ['allow', 'code='],
  ] as const) {
    const alice = visitor()
    const consent = asPage(await signInOn(alice, await alice.page(requestUrl())))
    const { status, headers } = await post(alice, consent, { decision })
    t.equal(status, 303)
    t.match(String(headers.location), `${REDIRECT_URI}?${answer}`)
  }
})

t.test('no form is answered by a page', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  const { status, headers } = await byPassword(alice, { ...OWN, ...ANSWERED_BY_PAGE })
  t.equal(status, 303)
  t.match(headers.location, /^\/oauth2\/interaction\?transaction=/)
  const page = await alice.page(String(headers.location))
  t.ok(page.hidden.code)
})

t.test('without storage for the answer, the browser is signed in and goes on', async (t) => {
  const { now, visitor } = await startAround(t)
  const alice = visitor()
  now.around = (call, run) => {
    if (call === 'create answered') throw new StorageUnavailable('The disk is full.')
    return run()
  }
  const { status, headers } = await byPassword(alice)
  t.equal(status, 303)
  t.match(headers['set-cookie'], COOKIES)
  const next = String(headers.location)
  t.match(next, /^\/oauth2\/interaction\?transaction=/)
  t.equal((await alice.page(next)).status, 503, 'what is wrong is said there')
  now.around = undefined
  t.ok(asDeparture(await alice.open(next)).told.get('code'))
})

t.test('who signs in for a request that another browser answered is signed in, and told so', async (t) => {
  const { now, visitor } = await startAround(t)
  const alice = visitor()
  now.around = (call, run) => (call === 'create answered' ? 'exists' : run())
  const { status, headers } = await byPassword(alice)
  t.equal(status, 303)
  t.match(headers['set-cookie'], COOKIES)
  t.equal((await alice.page(String(headers.location))).status, 400)
})

t.test('a fault of ours is no reason to go on', async (t) => {
  const { now, visitor } = await startAround(t)
  now.around = (call, run) => {
    if (call === 'create answered') throw new TypeError('a fault')
    return run()
  }
  t.equal((await byPassword(visitor())).status, 500)
})

t.test('a session that ends before the answer is asked for again', async (t) => {
  const { now, storage, visitor } = await startAround(t)
  const alice = visitor()
  let started = ''
  now.around = async (call, run, args) => {
    if (call === 'put session') started = (args[0] as { id: string }).id
    if (call === 'change session') await takeSession(storage, started)
    return run()
  }
  const { headers } = await byPassword(alice)
  t.equal(started, sessionIdOf(alice.cookies.get('__Host-redmint-session') ?? ''))
  now.around = undefined
  t.equal((await alice.page(String(headers.location))).title, 'Sign in')
})
