// More sessions and applications than the account page shows at once.
import t from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { saveConsent } from '../../../../src/interaction/consent.ts'
import { createSession } from '../../../../src/sessions/session-store.ts'
import { RELYING_PARTIES } from '../../../support/accounts.ts'
import { createClient } from '../../../support/records.ts'

import { requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest } from '../../../support/service.ts'
import { asDeparture } from '../../../support/visitor.ts'

t.test('the page shows fifty, and leads to the older ones, which can be ended, too', async (t) => {
  const { visitor, afterPassword, redmint, storage, pass } = await scene(t)
  const started_at = redmint.now() - 3_600_000
  for (let i = 0; i < 70; i++) {
    const who = { sid: `sid-${i}`, username: 'alice', sub: 'sub-of-alice', amr: 'pwd', acr: '1', started_at }
    const times = { auth_time: Math.floor(started_at / 1000), ends_at: started_at + 7_200_000 + i }
    const session = { ...who, ...times, clients: new Set<string>(), families: new Map() }
    await createSession(storage, `id-${i}`.padEnd(43, 'x'), session, 36_000)
  }
  const alice = visitor()
  asDeparture(await afterPassword(alice))
  const sidsOn = (text: string) => [...text.matchAll(/name="sid" value="([^"]*)"/g)].map(([, sid]) => sid)
  const first = await alice.page('/account')
  const [, link = ''] = /href="(\/account\?sessions=[^"#]*)/.exec(first.text) ?? []
  const second = await alice.page(link)
  const [newer, older] = [sidsOn(first.text), sidsOn(second.text)]
  t.equal(newer.length, 49, 'and this browser')
  t.equal(new Set([...newer, ...older]).size, 70)
  t.notMatch(second.text, /sessions=[^"]*#sessions/, 'there are no more')
  for (let i = 0; i < 120; i++) {
    await saveConsent(redmint, { sub: 'sub-of-alice', client_id: `app-${i}`, scope: 'profile' }, 3600)
  }
  const data = JSON.parse((await alice.request('GET', '/account/data')).text)
  t.equal(data.sessions.length, 71, 'a download has all')
  t.equal(data.applications.filter(({ client_id }: Hash) => client_id?.startsWith('app-')).length, 120)
  const fields = { csrf: second.hidden.csrf ?? '', sid: 'sid-3', sessions: second.hidden.sessions ?? '' }
  // Nobody has to confirm who it is to sign a browser out.
  pass(601)
  await alice.request('POST', '/account/end-session', new URLSearchParams(fields).toString())
  t.notOk(sidsOn((await alice.page(link)).text).includes('sid-3'))
  for (const place of ['x', '', 'constructor']) {
    const { text } = await alice.page(`/account?sessions=${place}`)
    t.equal(sidsOn(text).length, 49, 'what is no place is the beginning')
  }
  const bob = visitor()
  asDeparture(await afterPassword(bob, {}, 'bob'))
  t.equal(sidsOn((await bob.page(link)).text).length, 0, 'a place of somebody else shows nothing')
})

t.test('the page shows the applications of a hundred sign-ins, and leads to the older ones', async (t) => {
  const { visitor, afterPassword, storage, token, pass } = await scene(t)
  await createClient(
    storage,
    'old',
    formatClient({ ...RELYING_PARTIES.own, client_id: 'old', client_name: 'The old one' }),
  )
  const alice = visitor()
  asDeparture(await afterPassword(alice))
  const redeem = async (client_id: string) => {
    const { told } = asDeparture(await alice.open(requestUrl({ client_id, prompt: '' })))
    return token(codeRequest(told.get('code') ?? '', { client_id }))
  }
  t.equal((await redeem('old')).status, 200)
  pass(1)
  for (let i = 0; i < 100; i++) t.equal((await redeem('own')).status, 200)
  const clientsOn = (text: string) =>
    [...text.matchAll(/name="client_id" value="([^"]*)"/g)].map(([, id]) => id)
  const first = await alice.page('/account')
  t.strictSame(clientsOn(first.text), ['own'])
  const [, link = ''] = /href="(\/account\?applications=[^"#]*)/.exec(first.text) ?? []
  const second = await alice.page(link)
  t.strictSame(clientsOn(second.text), ['old'])
  t.notMatch(second.text, /applications=[^"]*#applications/, 'there are no more')
  const { applications } = JSON.parse((await alice.request('GET', '/account/data')).text)
  t.strictSame(new Set(applications.map(({ client_id }: Hash) => client_id)), new Set(['own', 'old']))
  await alice.request(
    'POST',
    '/account/end-application',
    new URLSearchParams({ csrf: second.hidden.csrf ?? '', client_id: 'old' }).toString(),
  )
  t.strictSame(clientsOn((await alice.page(link)).text), [], 'one of an older part can be taken back, too')
})
