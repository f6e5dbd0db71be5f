// The official tests of the profile "RP-Initiated Logout OP", by their names: what the user sees, where the browser
// goes, and that the session has ended.
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import {
  ASKING,
  DONE,
  logoutUrl,
  RETURN,
  seen,
  signedBySecret,
  startWithLeavers,
  unsigned,
} from '../../../support/logout/leavers.ts'
import { asPage } from '../../../support/visitor.ts'

const STATE = randomBytes(96).toString('base64')

async function signedIn(t: Test) {
  const people = await startWithLeavers(t)
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  const right = { id_token_hint: id_token, post_logout_redirect_uri: RETURN, state: STATE }
  return { ...people, visitor, right }
}

/** A request that the user must confirm, and that then returns to no client. */
async function confirmed(
  t: Test,
  change: (right: Record<string, string>) => Record<string, string | undefined>,
) {
  const { visitor, right, isSignedIn } = await signedIn(t)
  const page = asPage(await visitor.open(logoutUrl(change(right))))
  t.equal(page.title, ASKING)
  t.equal(page.status, 200)
  t.strictSame(page.buttons, ['decision=logout', 'decision=stay'])
  t.equal(await isSignedIn(visitor), true, 'nothing has happened yet')
  t.equal(seen(await visitor.submit(page, { decision: 'logout' })), DONE)
  t.equal(await isSignedIn(visitor), false)
}

t.test('oidcc-rp-initiated-logout-discovery-endpoint-verification', async (t) => {
  const { get } = await startWithLeavers(t)
  const { json } = await get('/.well-known/openid-configuration')
  t.equal(json.end_session_endpoint, 'https://auth.example.com/oauth2/logout')
})

t.test('oidcc-rp-initiated-logout', async (t) => {
  const { visitor, right, isSignedIn } = await signedIn(t)
  t.equal(await isSignedIn(visitor), true)
  t.equal(seen(await visitor.open(logoutUrl(right))), `${RETURN}?${new URLSearchParams({ state: STATE })}`)
  t.notOk(
    [...visitor.cookies.keys()].some((name) => name.endsWith('session')),
    'the cookie is gone',
  )
  t.equal(await isSignedIn(visitor), false)
})

t.test('oidcc-rp-initiated-logout-no-state', async (t) => {
  const { visitor, right, isSignedIn } = await signedIn(t)
  t.equal(seen(await visitor.open(logoutUrl({ ...right, state: undefined }))), RETURN)
  t.equal(await isSignedIn(visitor), false)
})

t.test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', async (t) => {
  const { visitor, right, isSignedIn } = await signedIn(t)
  t.equal(seen(await visitor.open(logoutUrl({ ...right, post_logout_redirect_uri: undefined }))), DONE)
  t.equal(await isSignedIn(visitor), false)
})

t.test('oidcc-rp-initiated-logout-no-params', (t) => confirmed(t, () => ({})))

t.test('oidcc-rp-initiated-logout-only-state', (t) => confirmed(t, ({ state }) => ({ state })))

// The official test ends at the question: only the session knows the client.
t.test('oidcc-rp-initiated-logout-no-id-token-hint', async (t) => {
  const { visitor, right, isSignedIn } = await signedIn(t)
  const page = asPage(await visitor.open(logoutUrl({ ...right, id_token_hint: undefined })))
  t.equal(page.title, ASKING)
  t.equal(page.status, 200)
  t.equal(await isSignedIn(visitor), true)
})

t.test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', (t) =>
  confirmed(t, (right) => ({ ...right, post_logout_redirect_uri: 'https://evil.example/bye' })),
)

t.test('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', (t) =>
  confirmed(t, (right) => ({ ...right, post_logout_redirect_uri: `${RETURN}?foo=bar` })),
)

t.test('oidcc-rp-initiated-logout-modified-id-token-hint', (t) =>
  confirmed(t, (right) => ({ ...right, id_token_hint: unsigned(String(right.id_token_hint)) })),
)

t.test('oidcc-rp-initiated-logout-bad-id-token-hint', (t) =>
  confirmed(t, (right) => ({ ...right, id_token_hint: signedBySecret(String(right.id_token_hint)) })),
)
