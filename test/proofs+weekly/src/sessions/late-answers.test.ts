// Of two answers to one request, the later one leaves nothing in its session: its logout ends no tokens of the first one.

import t, { type Test } from 'tap'
import { newFamilyId } from '../../../../src/core/token-string.ts'
import { answerOf } from '../../../../src/interaction/answered.ts'
import { leaveToFirst } from '../../../../src/sessions/join-session.ts'
import { changeSession, createSession, familiesOf } from '../../../../src/sessions/session-store.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { pendingOf } from '../../../support/contract/answered-contract.ts'
import { session } from '../../../support/contract/session-contract.ts'
import { openDevice, startWithDevices } from '../../../support/device.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { type Call, observed } from '../../../support/observed.ts'
import { pushedUrl, requestUriOf } from '../../../support/pushing.ts'
import { changeClient } from '../../../support/records.ts'
import { signInAndAgree } from '../../../support/scene/requests.ts'
import { bearer, codeRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asPage, type Departure, type Page, type Visitor } from '../../../support/visitor.ts'

const CONNECTED = 'The device is connected'

type Devices = Awaited<ReturnType<typeof startWithDevices>>

/** Two browsers, or two tabs of one, that answer the same request. Returns the access token, and who came too late. */
type Contest = (
  service: Devices,
  visitors: readonly [Visitor, Visitor],
) => Promise<[token: string, late: Visitor]>

async function redeemed(
  service: Devices,
  visitors: readonly [Visitor, Visitor],
  answers: readonly (Page | Departure)[],
): Promise<[string, Visitor]> {
  const codes = answers.map((answer) => ('location' in answer ? answer.told.get('code') : null))
  const winner = codes.findIndex((code) => code !== null)
  const { json } = await service.token(codeRequest(String(codes[winner]), { client_id: 'shop' }))
  return [String(json.access_token), winner === 0 ? visitors[1] : visitors[0]]
}

const CONTESTS: Record<string, [step: Call, Contest]> = {
  'a pushed request at the authorization endpoint': [
    'take pushed',
    async (service, visitors) => {
      const url = pushedUrl(await requestUriOf(service, { scope: 'openid' }))
      return redeemed(service, visitors, await Promise.all(visitors.map((visitor) => visitor.open(url))))
    },
  ],
  'a pushed request on pages': [
    'take pushed',
    async (service, visitors) => {
      const url = pushedUrl(await requestUriOf(service, { scope: 'openid', prompt: 'consent' }))
      const pages = []
      for (const visitor of visitors) pages.push(await visitor.page(url))
      const answers = pages.map((page, i) => visitors[i]?.submit(page, { decision: 'allow' }))
      return redeemed(service, visitors, (await Promise.all(answers)) as (Page | Departure)[])
    },
  ],
  'a device': [
    'change code',
    async (service, visitors) => {
      const { device_code, verification_uri_complete: uri } = await service.codes()
      const pages = []
      for (const [i, visitor] of visitors.entries()) {
        pages.push(await openDevice(visitor, uri, i === 0 ? 'alice' : 'bob'))
      }
      const answers = await Promise.all(
        pages.map((page, i) => visitors[i]?.submit(page, { decision: 'allow' })),
      )
      const is_first = asPage(answers[0] as Page).title === CONNECTED
      const { json } = await service.poll(device_code)
      return [String(json.access_token), is_first ? visitors[1] : visitors[0]]
    },
  ],
}

/** Two answers reach the step that decides before either is decided. */
function meeting(storage: Storage, step: Call): { storage: Storage; begin: () => void } {
  let arrived = Number.NaN
  return {
    storage: observed(storage, async (call, run) => {
      if (call === step) {
        arrived += 1
        await until('both have joined their sessions', async () => !(arrived < 2))
      }
      return run()
    }),
    begin: () => {
      arrived = 0
    },
  }
}

async function signOut(visitor: Visitor): Promise<void> {
  await visitor.submit(await visitor.page('/oauth2/logout'), { decision: 'logout' })
}

async function startContest(t: Test, storage: Storage) {
  const service = await startWithDevices(t, { storage })
  for (const client of ['shop', 'tv']) {
    await changeClient(storage, client, { set: { logout_ends_tokens: 'true' } })
  }
  return service
}

for (const [what, [step, contest]] of Object.entries(CONTESTS)) {
  forEachStorage(t, `${what}: two users`, async (t, makeStorage) => {
    const { storage, begin } = meeting((await makeStorage()).storage, step)
    const service = await startContest(t, storage)
    const visitors = [service.visitor(), service.visitor()] as const
    await signInAndAgree(visitors[0], { scope: 'openid' })
    await signInAndAgree(visitors[1], { scope: 'openid' }, 'bob')
    begin()
    const [token, late] = await contest(service, visitors)
    await signOut(late)
    t.equal(
      (await service.get('/userinfo', bearer(token))).status,
      200,
      'the logout ends nothing of the first',
    )
    await signOut(late === visitors[0] ? visitors[1] : visitors[0])
    t.equal((await service.get('/userinfo', bearer(token))).status, 401, 'their own logout does')
  })

  forEachStorage(t, `${what}: two tabs of one session`, async (t, makeStorage) => {
    const { storage, begin } = meeting((await makeStorage()).storage, step)
    const service = await startContest(t, storage)
    const alice = service.visitor()
    await signInAndAgree(alice, { scope: 'openid' })
    begin()
    const [token] = await contest(service, [alice, alice])
    t.equal((await service.get('/userinfo', bearer(token))).status, 200)
    await signOut(alice)
    t.equal((await service.get('/userinfo', bearer(token))).status, 401, 'the late tab takes nothing from it')
  })
}

t.test('a session stays if nothing says whose the answer was', async (t) => {
  const storage = new MemoryStorage()
  const family = newFamilyId()
  const pending = pendingOf(family)
  await createSession(storage, 'id', session(), 3600)
  await changeSession(storage, 'id', {
    clients: ['app'],
    families: [[family, { client_id: 'app', joined_at: 1 }]],
  })
  await leaveToFirst(
    { storage },
    { id: 'id' },
    { family, sid: 'a sid' },
    await answerOf({ storage }, pending),
  )
  t.ok((await familiesOf(storage, 'id'))?.has(family))
})
