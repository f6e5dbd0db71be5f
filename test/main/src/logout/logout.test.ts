// The rules of a logout request, each broken once.

import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import {
  ASKING,
  DONE,
  LEAVABLE,
  logoutUrl,
  type People,
  RETURN,
  resigned,
  STAYED,
  seen,
  startWithLeavers,
} from '../../../support/logout/leavers.ts'
import { claimsOf } from '../../../support/logout/relying-party.ts'
import { changeClient, createClient, removeClient, removeUser } from '../../../support/records.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { asPage } from '../../../support/visitor.ts'

/** For tests that change no client and no user. */
const shared = await startWithLeavers(t)

const logOut = async (visitor: ReturnType<People['visitor']>, url: string) => {
  const found = await visitor.open(url)
  if (seen(found) !== ASKING) return { asked: false, end: seen(found) }
  return { asked: true, end: seen(await visitor.submit(asPage(found), { decision: 'logout' })) }
}

t.test('an expired id_token is a valid hint', async (t) => {
  const people = await startWithLeavers(t, { id_token_ttl: 1 })
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  people.pass(60)
  const url = logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: RETURN })
  t.strictSame(await logOut(visitor, url), { asked: false, end: RETURN })
})

t.test('a hint counts only if its client is enabled and equals client_id', async (t) => {
  const people = await startWithLeavers(t)
  const rows: [client_id: string | undefined, Record<string, string>, boolean][] = [
    ['mail', {}, true],
    ['news', {}, false],
    ['nobody', {}, false],
    ['Mail', {}, false],
    [undefined, { disabled: 'true' }, false],
    [undefined, { is_public: 'perhaps' }, false],
  ]
  for (const [client_id, fields, counts] of rows) {
    const visitor = people.visitor()
    const { id_token } = await people.signIn(visitor)
    await changeClient(people.storage, 'mail', { set: fields, unset: [] })
    const name = JSON.stringify({ client_id, ...fields })
    for (const post_logout_redirect_uri of [RETURN, undefined]) {
      const url = logoutUrl({ id_token_hint: id_token, client_id, post_logout_redirect_uri })
      if (counts && post_logout_redirect_uri === undefined) continue
      const end = counts ? RETURN : ASKING
      t.equal(seen(await visitor.open(url)), end, `${name} ${post_logout_redirect_uri}`)
      const elsewhere = counts ? RETURN : DONE
      t.equal(seen(await people.visitor().open(url)), elsewhere, `${name} without a session`)
    }
    await changeClient(people.storage, 'mail', { set: { is_public: 'true' }, unset: ['disabled'] })
    t.equal(await people.isSignedIn(visitor), !counts, name)
  }
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  await removeClient(people.storage, 'mail')
  const url = logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: RETURN })
  t.strictSame(await logOut(visitor, url), { asked: true, end: DONE }, 'a client that is gone')
})

t.test('a hint from elsewhere ends no session and gives no redirect', async (t) => {
  const people = shared
  const visitor = people.visitor()
  const { id_token, access_token } = await people.signIn(visitor)
  const elsewhere = await startWithLeavers(t, { issuer: 'https://other.example.com' })
  const foreign = elsewhere.idTokenOf('sub-of-alice')
  const [header = '', payload = '', signature = ''] = id_token.split('.')
  const parsed = JSON.parse(Buffer.from(header, 'base64url').toString())
  const hints = [
    'x',
    access_token,
    foreign,
    resigned(id_token, { ...parsed, typ: 'at+jwt' }, () => signature),
    resigned(id_token, { ...parsed, kid: undefined }, () => signature),
    resigned(id_token, { ...parsed, kid: 'another' }, () => signature),
    `${header}.${Buffer.from(Buffer.from(payload, 'base64url').toString().replace('mail', 'news')).toString('base64url')}.${signature}`,
  ]
  for (const id_token_hint of hints) {
    const url = logoutUrl({ id_token_hint, post_logout_redirect_uri: RETURN, client_id: 'mail' })
    t.equal(seen(await visitor.open(url)), ASKING, id_token_hint.slice(0, 40))
  }
  t.equal(await people.isSignedIn(visitor), true)
  for (const id_token_hint of hints) {
    const url = logoutUrl({ id_token_hint, post_logout_redirect_uri: RETURN, client_id: 'mail' })
    t.equal(seen(await people.visitor().open(url)), DONE, 'nor does it without a session')
  }
})

t.test('post_logout_redirect_uri must be registered, character by character', async (t) => {
  const people = shared
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  const wrong = [
    `${RETURN}/`,
    `${RETURN}#`,
    `${RETURN}#x`,
    `${RETURN}?`,
    `${RETURN}?tenant=a%20b&x=1`,
    `${RETURN}?tenant=a+b`,
    `${RETURN}?tenant=a b`,
    `${RETURN} `,
    ` ${RETURN}`,
    RETURN.toUpperCase(),
    RETURN.replace('https', 'http'),
    RETURN.replace('app.', 'APP.'),
    RETURN.replace('bye', '%62ye'),
    RETURN.replace('.com', '.com:443'),
    RETURN.replace('.com', '.com.'),
    RETURN.replace('.com', '.com.evil.example'),
    RETURN.replace('.com', '.com@evil.example'),
    RETURN.replace('/bye', '/x/../bye'),
    RETURN.replace('/bye', '\\bye'),
    `${RETURN} https://evil.example/`,
    'https://app.example.com/callback',
    'https://news.example.net/out',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/oauth2/authorize',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://127.0.0.1/bye?x',
    'http://127.0.0.1:80:80/bye',
    'http://127.0.0.1:99999/bye',
    'http://127.0.0.1@evil.example/bye',
    'http://127.0.0.1:80@evil.example/bye',
    'http://127.0.0.2/bye',
    'http://localhost/bye',
    'http://[::1]/bye',
    'https://127.0.0.1/bye',
  ]
  for (const post_logout_redirect_uri of wrong) {
    const url = logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri, state: 's' })
    t.equal(seen(await visitor.open(url)), ASKING, post_logout_redirect_uri)
    t.equal(seen(await people.visitor().open(url)), DONE, `${post_logout_redirect_uri} without a session`)
  }
  t.equal(await people.isSignedIn(visitor), true)
  for (const uri of [RETURN, `${RETURN}?tenant=a%20b`, 'http://127.0.0.1/bye', 'http://127.0.0.1:4321/bye']) {
    const url = logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: uri })
    const { headers } = await people.visitor().request('GET', url)
    t.equal(headers.location, uri, 'without a session')
  }
})

t.test('state is returned unchanged, if it was sent', async (t) => {
  const people = shared
  const { id_token } = await people.signIn(people.visitor())
  const back = async (state: string | undefined, uri = RETURN) => {
    const url = logoutUrl({ id_token_hint: id_token, post_logout_redirect_uri: uri, state })
    return String((await people.visitor().request('GET', url)).headers.location)
  }
  const states = [
    'x',
    ' ',
    'a b+c%20d',
    '&next=https://evil.example',
    '#x?y=z&state=2',
    '"><script>alert(1)</script>',
    `'"\\/;:@`,
    'äöü 漢字 🙂 \u2028',
    'javascript:alert(1)',
    'x'.repeat(8000),
  ]
  for (const state of states) {
    const location = new URL(await back(state))
    t.strictSame([...location.searchParams], [['state', state]], state.slice(0, 40))
    t.equal(location.origin + location.pathname, RETURN)
    t.equal(location.hash, '')
  }
  t.equal(await back('s', `${RETURN}?tenant=a%20b`), `${RETURN}?tenant=a%20b&state=s`)
  t.equal(await back(undefined), RETURN)
  t.equal(await back(''), RETURN)
})

t.test('only the session that the hint names ends without a question', async (t) => {
  const people = shared
  const visitor = people.visitor()
  const earlier = await people.signIn(visitor)
  await logOut(visitor, logoutUrl())
  await people.signIn(visitor, 'news')
  const bob = await people.signIn(people.visitor(), 'mail', 'bob')
  const hints = {
    'an earlier session of the same user': earlier.id_token,
    "another person's session": bob.id_token,
    'another user, and no session': people.idTokenOf('sub-of-bob'),
    'the username instead of the sub': people.idTokenOf('alice'),
    'the sub that a pairwise client does not know': people.idTokenOf('sub-of-alice', 'masked'),
  }
  for (const [name, id_token_hint] of Object.entries(hints)) {
    const page = asPage(await visitor.open(logoutUrl({ id_token_hint, post_logout_redirect_uri: RETURN })))
    t.equal(page.title, ASKING, name)
    t.equal(seen(await visitor.submit(page, { decision: 'stay' })), STAYED, name)
    t.equal(await people.isSignedIn(visitor), true, name)
  }
  const page = asPage(
    await visitor.open(
      logoutUrl({ id_token_hint: bob.id_token, post_logout_redirect_uri: RETURN, state: 's' }),
    ),
  )
  t.equal(
    seen(await visitor.submit(page, { decision: 'logout' })),
    `${RETURN}?state=s`,
    'it leads back once agreed',
  )
  t.equal(await people.isSignedIn(visitor), false)
  await people.signIn(visitor, 'news')
  const url = logoutUrl({ id_token_hint: people.idTokenOf('sub-of-alice') })
  t.strictSame(await logOut(visitor, url), { asked: false, end: DONE }, 'the user, and no session')
  t.equal(await people.isSignedIn(visitor), false)
})

t.test('a pairwise client names the session by sid or by its own subject', async (t) => {
  const people = shared
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor, 'masked')
  const { sub } = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString())
  t.not(sub, 'sub-of-alice')
  const hint = people.idTokenOf(sub, 'masked')
  t.strictSame(await logOut(visitor, logoutUrl({ id_token_hint: hint })), { asked: false, end: DONE })
  const ends = async (hintFor: (own: string, raw: string) => string) => {
    const again = claimsOf((await people.signIn(visitor, 'masked')).id_token)
    const raw = claimsOf((await people.goOn(visitor)).id_token)
    t.not(again.sid, raw.sid, 'the sid of its sector')
    const id_token_hint = hintFor(String(again.sid), String(raw.sid))
    return (await logOut(visitor, logoutUrl({ id_token_hint }))).asked === false
  }
  t.ok(await ends((own) => people.idTokenOf(sub, 'masked', own)))
  t.notOk(await ends((_own, raw) => people.idTokenOf(sub, 'masked', raw)), 'the sid of the session itself')
  t.notOk(await ends((own) => people.idTokenOf('sub-of-alice', 'mail', own)), 'the sid of another sector')
})

t.test('without a session nothing is asked', async (t) => {
  const people = shared
  const { id_token } = await people.signIn(people.visitor())
  const right = { id_token_hint: id_token, post_logout_redirect_uri: RETURN, state: 's' }
  const rows = [
    [right, `${RETURN}?state=s`],
    [{ ...right, client_id: 'mail' }, `${RETURN}?state=s`],
    [{ ...right, post_logout_redirect_uri: undefined }, DONE],
    [{ ...right, id_token_hint: undefined }, DONE],
    [{ ...right, client_id: 'news' }, DONE],
    [{}, DONE],
    [{ state: 's', logout_hint: 'alice', client_id: 'mail' }, DONE],
  ] as const
  for (const [parameters, end] of rows) {
    const visitor = people.visitor()
    visitor.cookies.set('__Host-redmint-session', 'x'.repeat(43))
    t.equal(seen(await visitor.open(logoutUrl(parameters))), end)
    t.strictSame([...visitor.cookies.keys()], [], 'the cookie of a session that is over is taken away')
  }
})

t.test(
  'a form of another site brings no cookies, and is repeated without an address that has it',
  async (t) => {
    const people = shared
    const visitor = people.visitor()
    const { id_token } = await people.signIn(visitor)
    const right = { id_token_hint: id_token, post_logout_redirect_uri: RETURN, state: 'a&b +%' }
    const form = new URLSearchParams(right).toString()
    const end = `${RETURN}?${new URLSearchParams({ state: right.state })}`
    const claimed = `${form}&repeated=true`
    const cross_site = people.visitor()
    cross_site.headers['sec-fetch-site'] = 'cross-site'
    for (const [sender, body] of [
      [people.visitor(), form],
      [cross_site, claimed],
    ] as const) {
      const { status, headers, text } = await sender.request('POST', '/oauth2/logout', body)
      t.equal(status, 200)
      t.match(text, '<h1>One moment</h1>')
      t.match(headers, { 'cache-control': 'no-store', 'content-security-policy': /script-src 'sha256-/ })
      t.equal(headers['set-cookie'], undefined)
    }
    t.equal(await people.isSignedIn(visitor), true)
    t.equal(seen(await visitor.submitFromElsewhere('/oauth2/logout', right)), end)
    t.equal(await people.isSignedIn(visitor), false)
    t.equal(seen(await people.visitor().submitFromElsewhere('/oauth2/logout', right)), end, 'a new browser')
    const { id_token: again } = await people.signIn(visitor)
    const { headers } = await visitor.request(
      'POST',
      '/oauth2/logout',
      new URLSearchParams({ ...right, id_token_hint: again }).toString(),
    )
    t.equal(headers.location, end, 'a form that brings the cookies counts at once')
  },
)

/** A client that described itself, with an address that the user never went to. */
const STRANGER = {
  ...LEAVABLE.mail,
  client_id: 'stranger',
  registered_at: '2026-11-25T08:00:00.000Z',
  post_logout_redirect_uris: ['https://stranger.example/out'],
}

t.test('without a hint, the client is known by client_id or by the session', async (t) => {
  const people = await startWithLeavers(t)
  await createClient(people.storage, 'stranger', formatClient(STRANGER))
  const news = 'https://news.example.net/out'
  const out = 'https://stranger.example/out'
  const rows: [string, Record<string, string>, { at_once: string; agreed: string }][] = [
    [
      'by client_id',
      { client_id: 'mail', post_logout_redirect_uri: RETURN },
      { at_once: RETURN, agreed: RETURN },
    ],
    [
      'of another application',
      { client_id: 'news', post_logout_redirect_uri: news },
      { at_once: news, agreed: news },
    ],
    ['by the session', { post_logout_redirect_uri: RETURN }, { at_once: DONE, agreed: RETURN }],
    ['not in the session', { post_logout_redirect_uri: news }, { at_once: DONE, agreed: DONE }],
    [
      'of the other client',
      { client_id: 'news', post_logout_redirect_uri: RETURN },
      { at_once: DONE, agreed: DONE },
    ],
    [
      'not registered',
      { client_id: 'mail', post_logout_redirect_uri: `${RETURN}/` },
      { at_once: DONE, agreed: DONE },
    ],
    ['unknown', { client_id: 'nobody', post_logout_redirect_uri: RETURN }, { at_once: DONE, agreed: DONE }],
    ['a stranger', { client_id: 'stranger', post_logout_redirect_uri: out }, { at_once: DONE, agreed: DONE }],
    ['no address', { client_id: 'mail' }, { at_once: DONE, agreed: DONE }],
  ]
  for (const [name, parameters, { at_once, agreed }] of rows) {
    const state = parameters.post_logout_redirect_uri === undefined ? {} : { state: 's' }
    const url = logoutUrl({ ...parameters, ...state })
    const with_state = (end: string) => (end === DONE ? DONE : `${end}?state=s`)
    t.equal(seen(await people.visitor().open(url)), with_state(at_once), `${name}, without a session`)
    const visitor = people.visitor()
    await people.signIn(visitor)
    t.strictSame(await logOut(visitor, url), { asked: true, end: with_state(agreed) }, name)
  }
  const visitor = people.visitor()
  await people.signIn(visitor)
  const url = logoutUrl({ client_id: 'mail', post_logout_redirect_uri: RETURN })
  const page = asPage(await visitor.open(url))
  t.equal(seen(await visitor.submit(page, { decision: 'stay' })), STAYED)
  await changeClient(people.storage, 'mail', { set: { disabled: 'true' }, unset: [] })
  t.equal(seen(await visitor.submit(page, { decision: 'logout' })), DONE, 'disabled meanwhile')
  t.equal(seen(await people.visitor().open(url)), DONE, 'disabled')
})

t.test('a client that described itself is returned to if the user signed in to it', async (t) => {
  const people = await startWithLeavers(t)
  const { mail } = LEAVABLE
  await changeClient(people.storage, 'mail', {
    set: formatClient({ ...mail, registered_at: STRANGER.registered_at }),
    unset: [],
  })
  for (const parameters of [{ client_id: 'mail' }, {}]) {
    const url = logoutUrl({ ...parameters, post_logout_redirect_uri: RETURN })
    const visitor = people.visitor()
    const { id_token } = await people.signIn(visitor)
    t.strictSame(await logOut(visitor, url), { asked: true, end: RETURN }, 'in the session that ends')
    const hinted = logoutUrl({ ...parameters, post_logout_redirect_uri: RETURN, id_token_hint: id_token })
    t.equal(seen(await people.visitor().open(hinted)), RETURN, 'by its hint')
    t.equal(seen(await visitor.open(url)), DONE, 'neither')
  }
})

t.test('malformed parameters are an error and end no session', async (t) => {
  const people = shared
  const visitor = people.visitor()
  const { id_token } = await people.signIn(visitor)
  const right = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: RETURN }).toString()
  for (const odd of [
    `${right}&${right}`,
    `${right}&state=1&state=2`,
    `${right}&state=%ff`,
    `${right}&state=%00`,
  ]) {
    for (const [method, url, body] of [
      ['GET', `/oauth2/logout?${odd}`, undefined],
      ['POST', '/oauth2/logout', odd],
    ] as const) {
      const { status, headers, text } = await visitor.request(method, url, body)
      t.equal(status, 400)
      t.equal(headers.location, undefined)
      t.match(text, '<code>invalid_request</code>')
    }
  }
  const head = await people.fastify.inject({ method: 'HEAD', url: `/oauth2/logout?${right}` })
  t.equal(head.statusCode, 405)
  t.equal(await people.isSignedIn(visitor), true)
})

t.test('a user whose account was removed can sign out', async (t) => {
  const people = await startWithLeavers(t)
  const visitor = people.visitor()
  await people.signIn(visitor)
  await removeUser(people.storage, 'alice')
  const page = asPage(await visitor.open(logoutUrl()))
  t.match(page.text, '<bdi>alice</bdi>')
  t.equal(seen(await visitor.submit(page, { decision: 'logout' })), DONE)
})

t.test('the pages have the language of the request, at each step', async (t) => {
  const people = shared
  const visitor = people.visitor()
  visitor.headers['accept-language'] = 'en'
  await people.signIn(visitor)
  const german = logoutUrl({ ui_locales: 'de' })
  const page = asPage(await visitor.open(german))
  t.equal(page.title, 'Von redmint abmelden?')
  t.equal(seen(await visitor.submit(page, { decision: 'stay' })), 'Sie sind weiterhin angemeldet')
  t.equal(seen(await visitor.submit(page, { decision: 'logout' })), 'Sie sind abgemeldet')
  t.equal(seen(await visitor.open(german)), 'Sie sind abgemeldet')
})

t.test('a change of the client counts at the next step', async (t) => {
  const people = await startWithLeavers(t)
  const visitor = people.visitor()
  const bob = await people.signIn(people.visitor(), 'mail', 'bob')
  await people.signIn(visitor)
  const page = asPage(
    await visitor.open(logoutUrl({ id_token_hint: bob.id_token, post_logout_redirect_uri: RETURN })),
  )
  await changeClient(people.storage, 'mail', {
    set: formatClient({ ...LEAVABLE.mail, post_logout_redirect_uris: ['https://app.example.com/other'] }),
    unset: [],
  })
  t.equal(seen(await visitor.submit(page, { decision: 'logout' })), DONE)
})

t.test('after another user signed in, the question is asked again', async (t) => {
  const people = shared
  const visitor = people.visitor()
  await people.signIn(visitor)
  const page = asPage(await visitor.open(logoutUrl()))
  await signInOn(visitor, await visitor.page(requestUrl({ prompt: 'login' })), 'bob')
  const again = asPage(await visitor.submit(page, { decision: 'logout' }))
  t.equal(again.title, ASKING)
  t.match(again.text, '<bdi>Bob</bdi>')
  t.equal(seen(await visitor.submit(again, { decision: 'logout' })), DONE)
})

t.test('a logout that does not return to the client links back to it, if the hint proves it', async (t) => {
  const { storage, visitor, signIn } = await startWithLeavers(t)
  await changeClient(storage, 'mail', { set: { client_uri: 'https://mail.example.com/' }, unset: [] })
  const link = '<a class="button" href="https://mail.example.com/">Back to <bdi>Mail</bdi></a>'
  const alice = visitor()
  const { id_token } = await signIn(alice)
  const done = asPage(await alice.open(logoutUrl({ id_token_hint: id_token })))
  t.equal(done.title, DONE)
  t.match(done.text, link)
  const named = asPage(await visitor().open(logoutUrl({ client_id: 'mail' })))
  t.equal(named.title, DONE)
  t.notMatch(named.text, 'Back to', 'anybody can name a client')
})
