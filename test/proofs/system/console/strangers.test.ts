// What strangers wrote, and what operators type into forms, is text everywhere in the console, and no address leads to code.
import t from 'tap'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../../src/console/rooms.ts'
import { ASKS } from '../../../support/accounts.ts'
import { changeClient } from '../../../support/records.ts'
import { placeOf, withRecords } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { authorizationRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import type { Visitor } from '../../../support/visitor.ts'

const MARKUP = `"'><img src=x onerror=alert(1)><script>alert(1)</script>&lt;b&gt;`
const HOSTILE = {
  'markup with marks of direction and emoji': `${MARKUP}\u202Elive\u2066\u200F👩🏽‍🚀🏳️‍🌈`,
  '10 kB': `${'x'.repeat(10_000)}${MARKUP}`,
}
const CODE = [
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'JavaScript:alert(1)//https://x',
]

const isText = (text: string) => !/<img|<script>|onerror=alert\(1\)>"/.test(text)
const links = (text: string) =>
  [...text.matchAll(/(?:href|src|action|formaction|content)="([^"]*)"/gi)].map(([, to = '']) => to)

/** The names of the fields that somebody can type into. */
const typedInto = (text: string) =>
  [...text.matchAll(/<(?:input|textarea|select)\b[^>]*\bname="([^"]*)"[^>]*>/g)]
    .filter(([tag]) => !tag.includes('type="hidden"'))
    .map(([, name = '']) => name)

async function sent(visitor: Visitor, place: string, fields: Record<string, string>) {
  const page = await visitor.page(place)
  const given = Object.fromEntries(Object.entries(page.hidden).filter(([name]) => name !== 'q'))
  return visitor.request('POST', place, new URLSearchParams({ ...given, ...fields }).toString())
}

for (const [what, hostile] of Object.entries(HOSTILE))
  t.test(`H2 ${what} in every field of every form is text`, async (t) => {
    const { operator, storage } = await scene(t, { with: ['console'] })
    await withRecords(storage)
    const ada = await operator()
    let fields = 0
    for (const { path } of CONSOLE_ACTIONS) {
      const place = placeOf(path)
      for (const name of new Set(typedInto((await ada.page(place)).text))) {
        fields += 1
        const answer = await sent(ada, place, { [name]: hostile })
        t.ok(answer.status < 500, `${path} ${name}: ${answer.status}`)
        t.ok(isText(answer.text), `${path} ${name}`)
      }
    }
    t.ok(fields > 20, `${fields} fields`)
    for (const { path } of CONSOLE_PAGES) t.ok(isText((await ada.page(placeOf(path))).text), path)
  })

t.test('H2 an address that leads to code is refused where it is typed', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await withRecords(storage)
  const ada = await operator()
  let fields = 0
  for (const place of ['/console/applications/web/edit', '/console/providers/google/edit'])
    for (const name of typedInto((await ada.page(place)).text).filter((name) => /_uris?$/.test(name)))
      for (const address of CODE) {
        fields += 1
        const answer = await sent(ada, place, { [name]: address })
        t.equal(answer.status, 422, `${place} ${name} ${address}`)
      }
  t.ok(fields > 0)
})

t.test('H2 an address that leads to code is no link where storage has one', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await withRecords(storage)
  const ada = await operator()
  for (const address of [...CODE, 'https://evil.example/']) {
    const of_client = Object.fromEntries(
      ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri', 'redirect_uris', 'client_name'].map((name) => [
        name,
        address,
      ]),
    )
    await changeClient(storage, 'web', { set: of_client })
    for (const { path } of [...CONSOLE_PAGES, ...CONSOLE_ACTIONS]) {
      const { status, text } = await ada.page(placeOf(path))
      t.ok(status < 500, path)
      const led = links(text).filter(
        (to) => /^\s*(?:javascript|data):/i.test(to) || /^https?:..evil/.test(to),
      )
      t.same(led, [], `${path} ${address}`)
    }
  }
})

t.test(
  'H2 what a refused request said is text where it is explained, and in the list of events',
  async (t) => {
    const { operator, get } = await scene(t, { with: ['console'], explain: { delay: 1 } })
    const ada = await operator()
    const asked = {
      ...authorizationRequest(ASKS),
      redirect_uri: `https://evil.example/${MARKUP}`,
      scope: MARKUP,
      state: MARKUP,
    }
    const refused = await get(`/oauth2/authorize?${new URLSearchParams(asked).toString()}`)
    t.equal(refused.status, 400)
    const id = String(refused.headers['x-request-id'])
    const place = `/console/explain?id=${id}`
    await until('it is explained', async () => (await ada.page(place)).text.includes('evil.example'))
    for (const path of [place, '/console/explain', '/console/events', '/console']) {
      const { text } = await ada.page(path)
      t.ok(isText(text), path)
      t.same(
        links(text).filter((to) => to.includes('evil')),
        [],
        path,
      )
    }
  },
)

t.test(
  'H3 no answer is framed, cached, or read by another site: refusals, redirects, forms and files too',
  async (t) => {
    const { operator, visitor } = await scene(t, { with: ['console'] })
    const ada = await operator()
    const answers = [
      await visitor().request('GET', '/console/people'),
      await visitor().request('POST', '/console/people/alice/disable', 'csrf=x'),
      await ada.request('POST', '/console/people/alice/disable', 'csrf=x'),
      await ada.request('POST', '/console/people/alice/disable', 'csrf=x&csrf=y'),
      await ada.request('GET', '/console/nothing'),
      await ada.request('GET', '/console/callback?state=x'),
      await ada.request('GET', '/console/sign-out'),
      await ada.request('GET', '/console/export/people.csv'),
    ]
    for (const { status, headers } of answers) {
      t.match(
        headers,
        {
          'content-security-policy': /^default-src 'none';.*frame-ancestors 'none'$/,
          'x-frame-options': 'DENY',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        },
        String(status),
      )
      t.notMatch(headers['content-security-policy'], 'unsafe-')
      t.equal(headers['access-control-allow-origin'], undefined)
    }
  },
)

t.test('H6 what is shown once is not shown by the same form again, nor by its address', async (t) => {
  const { operator } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const once = [
    ['/console/applications/web/secret', { keep: '0' }],
    ['/console/invitations/new', {}],
    ['/console/people/bob/reset-link', {}],
  ] as const
  for (const [place, fields] of once) {
    const { hidden } = await ada.page(place)
    const body = new URLSearchParams({ ...hidden, ...fields }).toString()
    const made = await ada.request('POST', place, body)
    t.equal(made.status, 200, place)
    const secret = /<pre[^>]*>(?:<bdi>)?([^<]{20,})</.exec(made.text)?.[1] ?? ''
    t.not(secret, '', place)
    t.equal(made.headers['cache-control'], 'no-store')
    const again = await ada.request('POST', place, body)
    t.equal(again.status, 409, place)
    for (const text of [again.text, (await ada.page(place)).text]) t.notOk(text.includes(secret), place)
  }
})

t.test('H7 what is searched for is in no log and not in the trail', async (t) => {
  const { operator, log, trail } = await scene(t, { with: ['console'] })
  const ada = await operator()
  const term = 'somebody.private@example.com'
  const place = '/console/find'
  t.equal((await sent(ada, place, { q: term })).status, 200)
  t.equal((await ada.request('GET', `/console/search?q=${encodeURIComponent(term)}`)).status, 200)
  t.equal((await ada.request('GET', `/console/people?q=${encodeURIComponent(term)}`)).status, 200)
  // A form that is refused is logged.
  t.equal(
    (await ada.request('POST', place, new URLSearchParams({ csrf: 'x', q: term }).toString())).status,
    403,
  )
  for (const told of [log.join('\n'), JSON.stringify(await trail())]) t.notMatch(told, /somebody\.private/)
})
