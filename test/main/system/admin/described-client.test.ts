// What operators see and end of a client that a document describes, and that has no record.
import t from 'tap'
import {
  allow,
  askConsent,
  CLIENT_URL,
  redeem,
  startWithDocuments,
} from '../../../support/clients/document-clients.ts'
import { bearer } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

const GRANTS = `/clients/${encodeURIComponent(CLIENT_URL)}/grants`
const PAGE = `/console/applications/${encodeURIComponent(CLIENT_URL)}`

t.test('its grants are listed and ended as those of other clients', async (t) => {
  const { visitor, token, call, tokenOf, operator, get, trail } = await startWithDocuments(t, {
    with: ['console'],
  })
  const rights = { token: await tokenOf('redmint:read', 'redmint:write') }
  t.match(await call('GET', GRANTS, rights), { status: 200, json: { items: [] } })
  const signIn = async () => {
    const alice = visitor()
    return String(
      (await token(redeem(await allow(alice, await askConsent(alice, { prompt: 'consent' }))))).json
        .access_token,
    )
  }
  const tokens = [await signIn(), await signIn()]
  const { json } = await call('GET', GRANTS, rights)
  const items = json.items as { grant: string; username: string; client_id: string }[]
  t.match(items, [
    { username: 'alice', client_id: CLIENT_URL },
    { username: 'alice', client_id: CLIENT_URL },
  ])

  const ada = await operator()
  const { text } = await ada.page(PAGE)
  for (const said of [
    'It describes itself by a document',
    'People with access',
    'End all sign-ins',
    'Disable',
  ])
    t.match(text, said)
  t.match((await ada.page(`${PAGE}/grants`)).text, 'alice')

  t.match(await call('DELETE', `${GRANTS}/${items[0]?.grant}`, rights), { json: { ended: 1 } })
  t.match(await call('DELETE', GRANTS, rights), { status: 200, json: { ended: 1 } })
  await until('its tokens are refused', async () => {
    const answers = await Promise.all(tokens.map((one) => get('/userinfo', bearer(one))))
    return answers.every(({ status }) => status === 401)
  })
  t.match(await call('GET', GRANTS, rights), { json: { items: [] } })
  const ended = (await trail()).filter(({ event }) => event === 'grants_ended')
  t.equal(ended.length, 2, 'each is in the audit trail')
})

t.test('an address that nothing is known of is no client, and what if knows records only', async (t) => {
  const { call, tokenOf, operator } = await startWithDocuments(t, {
    with: ['console'],
    client_id_metadata: ['other.example.net'],
  })
  const rights = { token: await tokenOf('redmint:read', 'redmint:write') }
  t.match(await call('GET', GRANTS, rights), { status: 404 })
  t.match(await call('DELETE', GRANTS, rights), { status: 404 })
  t.equal((await (await operator()).page(PAGE)).status, 404)
  const whatIf = (client_id: string) =>
    call('POST', '/explanations/what-if', { ...rights, body: { username: 'alice', client_id } })
  t.match(await whatIf('https://other.example.net/client.json'), {
    status: 409,
    json: { detail: /its document describes it/ },
  })
  t.match(await whatIf(CLIENT_URL), { status: 200, json: { allowed: false } })
})
