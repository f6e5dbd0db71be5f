// Forged logouts, redirects to foreign addresses, and the back and reload buttons.

import t from 'tap'
import { newFamilyId, newToken } from '../../../../src/core/token-string.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import {
  ASKING,
  DONE,
  LEAVABLE,
  logoutUrl,
  RETURN,
  STAYED,
  seen,
  startWithLeavers,
} from '../../../support/logout/leavers.ts'
import { spyOn } from '../../../support/matrix.ts'
import { changeClient, changeUser } from '../../../support/records.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { asPage, type Page, type Visitor } from '../../../support/visitor.ts'

/** For tests that change no client and no user. */
const shared = await startWithLeavers(t)
const LOGOUT = { decision: 'logout' }

async function asked(visitor: Visitor): Promise<Page> {
  const page = asPage(await visitor.open(logoutUrl()))
  if (page.title !== ASKING) throw new Error(`not the question, but: ${page.title}`)
  return page
}

t.test('only the form of this page in this browser ends the session', async (t) => {
  const people = shared
  const visitor = people.visitor()
  const attacker = people.visitor()
  await people.signIn(visitor)
  await people.signIn(attacker, 'mail', 'bob')
  const page = await asked(visitor)
  const theirs = await asked(attacker)
  const { csrf = '', transaction = '' } = page.hidden
  const login = await visitor.page(requestUrl({ prompt: 'login' }))
  const forged: Record<string, Record<string, string | undefined>> = {
    'no csrf': { csrf: undefined },
    'an empty csrf': { csrf: '' },
    'a made-up csrf': { csrf: 'x'.repeat(csrf.length) },
    'a shortened csrf': { csrf: csrf.slice(0, -1) },
    'the csrf of another browser': { csrf: theirs.hidden.csrf },
    "another browser's page": theirs.hidden,
    'the csrf of another page': { csrf: (await asked(visitor)).hidden.csrf },
    'an unknown transaction': { transaction: newToken(newFamilyId()) },
    'a transaction of another form': { transaction: 'x' },
    'the page of an authorization request': login.hidden,
    'the name of a key': { transaction: `{${transaction.replace('.', '}.')}` },
  }
  for (const [name, fields] of Object.entries(forged)) {
    const found = asPage(await visitor.submit(page, { ...LOGOUT, ...fields }))
    t.equal(found.title, ASKING, name)
    t.equal(found.status, 200, name)
  }
  for (const decision of ['stay', 'Logout', 'logout ', 'yes', undefined]) {
    t.not(seen(await visitor.submit(await asked(visitor), { decision })), DONE, String(decision))
  }
  t.equal(await people.isSignedIn(visitor), true)
  t.equal(await people.isSignedIn(attacker), true)
  t.equal(seen(await visitor.submit(page, LOGOUT)), DONE, 'and its answer does')
  t.equal(await people.isSignedIn(visitor), false)
  t.equal(await people.isSignedIn(attacker), true, 'nobody else was signed out')
})

t.test('another site cannot answer for the user: its form brings no cookies', async (t) => {
  const people = shared
  const visitor = people.visitor()
  await people.signIn(visitor)
  const { hidden } = await asked(visitor)
  const body = new URLSearchParams({ ...hidden, ...LOGOUT }).toString()
  const { status, headers } = await people.visitor().request('POST', '/oauth2/logout', body)
  t.equal(status, 303)
  t.equal(headers.location, '/oauth2/logout', 'the person is asked')
  t.equal(await people.isSignedIn(visitor), true)
})

t.test("the page of another browser's request shows that browser's own state", async (t) => {
  const people = shared
  const visitor = people.visitor()
  const { id_token } = await people.signIn(people.visitor(), 'mail', 'bob')
  await people.signIn(visitor)
  const page = asPage(
    await visitor.open(logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: RETURN })),
  )
  const other = people.visitor()
  t.equal(seen(await other.open(page.url)), DONE)
  await people.signIn(other, 'news', 'bob')
  const found = asPage(await other.open(page.url))
  t.equal(found.title, STAYED)
  t.notMatch(found.text, /\b([Aa]lice|csrf)\b/)
  t.equal(seen(await visitor.submit(page, LOGOUT)), RETURN)
})

t.test('back and reload show the current state', async (t) => {
  const people = shared
  const visitor = people.visitor()
  const bob = await people.signIn(people.visitor(), 'mail', 'bob')
  await people.signIn(visitor)
  const page = await asked(visitor)
  t.equal(seen(await visitor.open(page.url)), ASKING, 'reload of the question')
  const stayed = asPage(await visitor.submit(page, { decision: 'stay' }))
  t.equal(stayed.title, STAYED)
  t.equal(seen(await visitor.open(stayed.url)), STAYED, 'reload of the answer')
  t.equal(seen(await visitor.open(page.url)), ASKING, 'back to the question')
  t.equal(seen(await visitor.submit(page, { decision: 'stay' })), STAYED, 'the form once more')
  const done = asPage(await visitor.submit(page, LOGOUT))
  t.equal(done.title, DONE, 'back, and another answer')
  t.equal(seen(await visitor.open(done.url)), DONE, 'reload')
  t.equal(seen(await visitor.submit(page, LOGOUT)), DONE, 'the form once more')
  t.equal(seen(await visitor.submit(page, { decision: 'stay' })), DONE, 'too late')
  t.equal(seen(await visitor.open(logoutUrl())), DONE, 'the link once more')

  await people.signIn(visitor, 'news')
  const url = logoutUrl({ id_token_hint: bob.id_token, post_logout_redirect_uri: RETURN, state: 's' })
  const leading = asPage(await visitor.open(url))
  for (let i = 0; i < 2; i++) t.equal(seen(await visitor.submit(leading, LOGOUT)), `${RETURN}?state=s`)
  t.equal(seen(await visitor.open(leading.url)), `${RETURN}?state=s`, 'back from the client')
})

t.test('an expired request asks again, and ends no session', async (t) => {
  const people = await startWithLeavers(t, { sign_in_ttl: 60 })
  const visitor = people.visitor()
  await people.signIn(visitor)
  const page = await asked(visitor)
  people.pass(61)
  t.equal(seen(await visitor.open(page.url)), STAYED)
  t.equal(seen(await visitor.submit(page, { decision: 'stay' })), STAYED)
  const again = asPage(await visitor.submit(page, LOGOUT))
  t.equal(again.title, ASKING)
  t.not(again.hidden.transaction, page.hidden.transaction)
  t.equal(seen(await visitor.submit(again, LOGOUT)), DONE)
})

t.test('the pages cannot be framed or cached, send no referrer, and load nothing', async (t) => {
  const people = shared
  const visitor = people.visitor()
  await people.signIn(visitor)
  const page = await asked(visitor)
  const stayed = asPage(await visitor.submit(page, { decision: 'stay' }))
  const done = asPage(await visitor.submit(page, LOGOUT))
  for (const { headers, title } of [page, stayed, done]) {
    t.match(
      headers,
      {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy':
          /^default-src 'none';style-src 'sha256-[\w+/=]{44}';img-src 'self';base-uri 'none';frame-ancestors 'none'$/,
      },
      title,
    )
    t.equal(headers['access-control-allow-origin'], undefined)
  }
  t.ok(
    [...page.set_cookies, ...done.set_cookies].every((cookie) => /^__Host-.*; Secure/.test(cookie)),
    'cookies are of this host and https alone',
  )
})

const PROBES = [
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  `' autofocus onfocus='alert(1)`,
  '</title><script src=//evil.example></script>',
  '--><img src=x onerror=alert(1)>',
  '{{7*7}}',
  '\u202e<x',
]
// The footer offers the other languages only where the address has nothing to repeat.
const tags = ({ text }: Page) =>
  text
    .replace(/<footer>.*<\/footer>/s, '')
    .replace(/value="[^"]*"/g, '')
    .match(/<[^>]*>?/g)
    ?.join('')

t.test('text from requests and records is escaped', async (t) => {
  const people = await startWithLeavers(t)
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  const plain = tags(await asked(visitor))
  const names = [
    'id_token_hint',
    'client_id',
    'logout_hint',
    'post_logout_redirect_uri',
    'state',
    'ui_locales',
    'x',
  ]
  for (const probe of PROBES) {
    for (const name of names) {
      const page = asPage(
        await visitor.open(
          logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: 'https://x', [name]: probe }),
        ),
      )
      t.equal(tags(page), plain, `${name}: ${probe}`)
      t.notOk(page.text.includes(probe), `${name} is not shown`)
    }
    await changeUser(people.storage, 'alice', { set: { name: probe }, unset: [] })
    await changeClient(people.storage, 'mail', { set: { client_name: probe }, unset: [] })
    const page = await asked(visitor)
    t.equal(tags(page), plain, `a person is called ${probe}`)
    await changeClient(people.storage, 'mail', { set: { client_name: LEAVABLE.mail.client_name }, unset: [] })
  }
})

t.test('no page claims a logout while storage is unavailable', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const people = await startWithLeavers(t, { storage: spy.storage })
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  const page = await asked(visitor)
  spy.fault = new StorageUnavailable('away')
  const tries = [
    await visitor.open(logoutUrl({ id_token_hint: id_token })),
    await visitor.open(logoutUrl()),
    await visitor.open(page.url),
    await visitor.submit(page, LOGOUT),
  ]
  for (const found of tries) {
    t.equal(found.status, 503)
    t.strictSame(found.set_cookies, [], 'the cookie stays')
    t.match(asPage(found).title, /^Signing out did not work/)
  }
  spy.fault = undefined
  t.equal(await people.isSignedIn(visitor), true)
  t.equal(seen(await visitor.submit(page, LOGOUT)), DONE)
})

t.test('the log contains no token', async (t) => {
  const people = await startWithLeavers(t)
  const visitor = people.visitor()
  const { id_token, access_token } = await people.signIn(visitor)
  const page = asPage(
    await visitor.open(logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: 'https://x' })),
  )
  await visitor.submit(page, LOGOUT)
  const log = people.log.join('')
  const secrets = [
    id_token,
    access_token,
    page.hidden.transaction ?? '',
    page.hidden.csrf ?? '',
    ...visitor.cookies.values(),
  ]
  t.strictSame(
    secrets.filter((secret) => log.includes(secret)),
    [],
  )
  t.match(log, 'post_logout_redirect_uri is not registered for the client')
  t.match(log, '"event":"signed_out","username":"alice","sub":"sub-of-alice"')
})

t.test('a request that is too long to wait for the user does not return to the client', async (t) => {
  const people = shared
  const visitor = people.visitor()
  const { id_token } = await people.signIn(people.visitor(), 'mail', 'bob')
  await people.signIn(visitor)
  const url = (state: string) =>
    logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: RETURN, state })
  const page = asPage(await visitor.open(url('s'.repeat(4096))))
  t.equal(page.title, ASKING)
  t.ok(page.url.length < 8000)
  t.match(people.log.join(''), 'A logout request is too long')
  t.equal(seen(await visitor.submit(page, LOGOUT)), DONE)
  t.equal(seen(await visitor.open(url('s'.repeat(4096)))), `${RETURN}?state=${'s'.repeat(4096)}`)
})
