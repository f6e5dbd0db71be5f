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

const people = await startWithLeavers(t)
const { isSignedIn } = people

async function signedIn() {
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  const right = { id_token_hint: id_token, post_logout_redirect_uri: RETURN, state: STATE }
  return { visitor, right }
}

/** A request that the user must confirm, and that then returns to no client. */
async function confirmed(
  t: Test,
  change: (right: Record<string, string>) => Record<string, string | undefined>,
) {
  const { visitor, right } = await signedIn()
  const page = asPage(await visitor.open(logoutUrl(change(right))))
  t.equal(page.title, ASKING)
  t.equal(page.status, 200)
  t.strictSame(page.buttons, ['decision=logout', 'decision=stay'])
  t.equal(await isSignedIn(visitor), true, 'nothing has happened yet')
  t.equal(seen(await visitor.submit(page, { decision: 'logout' })), DONE)
  t.equal(await isSignedIn(visitor), false)
}

t.test('oidcc-rp-initiated-logout-discovery-endpoint-verification', async (t) => {
  const { json } = await people.get('/.well-known/openid-configuration')
  t.equal(json.end_session_endpoint, 'https://auth.example.com/oauth2/logout')
})

t.test('oidcc-rp-initiated-logout', async (t) => {
  const { visitor, right } = await signedIn()
  t.equal(await isSignedIn(visitor), true)
  t.equal(seen(await visitor.open(logoutUrl(right))), `${RETURN}?${new URLSearchParams({ state: STATE })}`)
  t.notOk(
    [...visitor.cookies.keys()].some((name) => name.endsWith('session')),
    'the cookie is gone',
  )
  t.equal(await isSignedIn(visitor), false)
})

for (const [name, left_out, end] of [
  ['no-state', 'state', RETURN],
  ['no-post-logout-redirect-uri', 'post_logout_redirect_uri', DONE],
] as const)
  t.test(`oidcc-rp-initiated-logout-${name}`, async (t) => {
    const { visitor, right } = await signedIn()
    t.equal(seen(await visitor.open(logoutUrl({ ...right, [left_out]: undefined }))), end)
    t.equal(await isSignedIn(visitor), false)
  })

// The official test ends at the question: only the session knows the client.
t.test('oidcc-rp-initiated-logout-no-id-token-hint', async (t) => {
  const { visitor, right } = await signedIn()
  const page = asPage(await visitor.open(logoutUrl({ ...right, id_token_hint: undefined })))
  t.equal(page.title, ASKING)
  t.equal(page.status, 200)
  t.equal(await isSignedIn(visitor), true)
})

const ASKED: Readonly<Record<string, Parameters<typeof confirmed>[1]>> = {
  'no-params': () => ({}),
  'only-state': ({ state }) => ({ state }),
  'bad-post-logout-redirect-uri': (right) => ({
    ...right,
    post_logout_redirect_uri: 'https://evil.example/bye',
  }),
  'query-added-to-post-logout-redirect-uri': (right) => ({
    ...right,
    post_logout_redirect_uri: `${RETURN}?foo=bar`,
  }),
  'modified-id-token-hint': (right) => ({ ...right, id_token_hint: unsigned(String(right.id_token_hint)) }),
  'bad-id-token-hint': (right) => ({ ...right, id_token_hint: signedBySecret(String(right.id_token_hint)) }),
}

for (const [name, change] of Object.entries(ASKED))
  t.test(`oidcc-rp-initiated-logout-${name}`, (t) => confirmed(t, change))
