// A user signs in again, and the answer with the new cookie is lost, or several tabs do it at once: the session keeps its
// clients and families, so that a logout ends them.

import t, { type Test } from 'tap'
import { PATHS } from '../../../../src/core/paths.ts'
import { sessionIdOf } from '../../../../src/sessions/browser.ts'
import { useSession } from '../../../../src/sessions/session-store.ts'
import type { Change } from '../../../../src/storage/records.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import { forEachStorage } from '../../../support/matrix.ts'
import { observed } from '../../../support/observed.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { bearer, codeRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asDeparture, asPage, type Page, type Visitor } from '../../../support/visitor.ts'

const ASKS_AGAIN = requestUrl({ scope: 'openid', prompt: 'login' })
const SILENT = requestUrl({ scope: 'openid', prompt: 'none' })
const COOKIE = '__Host-redmint-session'

/** A browser of alice, which is signed in to a client whose tokens end with the session. */
async function signedIn(t: Test, storage: Storage) {
  const service = await scene(t, { storage })
  await changeClient(storage, 'shop', { set: { logout_ends_tokens: 'true' } })
  const alice = service.visitor()
  /** The access token for a code. */
  const redeem = async ({ told }: { told: URLSearchParams }) => {
    const { json } = await service.token(codeRequest(String(told.get('code')), { client_id: 'shop' }))
    return String(json.access_token)
  }
  const token = await redeem(await signInAndAgree(alice, { scope: 'openid' }))
  return {
    ...service,
    alice,
    token,
    redeem,
    status: async (token: string) => (await service.get('/userinfo', bearer(token))).status,
    /** Submits the page of a sign-in; the browser does not get the answer. */
    async loseAnswer(page: Page) {
      const cookies = new Map(alice.cookies)
      await signInOn(alice, page)
      keepOnly(alice, cookies)
    },
  }
}

function keepOnly({ cookies }: Visitor, kept: ReadonlyMap<string, string>) {
  cookies.clear()
  for (const [name, value] of kept) cookies.set(name, value)
}

async function signOut(visitor: Visitor) {
  await visitor.submit(await visitor.page('/oauth2/logout'), { decision: 'logout' })
}

forEachStorage(t, 'a logout ends the session whose cookie was lost', async (t, makeStorage) => {
  const { alice, token, status, loseAnswer } = await signedIn(t, (await makeStorage()).storage)
  await loseAnswer(await alice.page(ASKS_AGAIN))
  t.equal(await status(token), 200)
  await signOut(alice)
  t.equal(await status(token), 401)
})

forEachStorage(
  t,
  'the next sign-in goes on with the session whose cookie was lost',
  async (t, makeStorage) => {
    const { storage } = await makeStorage()
    const { alice, token, status, loseAnswer } = await signedIn(t, storage)
    const sidOf = async () =>
      (await useSession(storage, sessionIdOf(alice.cookies.get(COOKIE) ?? ''), 60))?.sid
    const sid = await sidOf()
    for (let i = 0; i < 3; i++) await loseAnswer(await alice.page(ASKS_AGAIN))
    asDeparture(await signInOn(alice, await alice.page(ASKS_AGAIN)))
    t.equal(await sidOf(), sid)
    await signOut(alice)
    t.equal(await status(token), 401)
  },
)

forEachStorage(t, 'the cookie of before a sign-in signs nobody in', async (t, makeStorage) => {
  const { alice, loseAnswer } = await signedIn(t, (await makeStorage()).storage)
  await loseAnswer(await alice.page(ASKS_AGAIN))
  t.equal(asDeparture(await alice.open(SILENT)).told.get('error'), 'login_required')
})

forEachStorage(t, 'another user ends the session whose cookie was lost', async (t, makeStorage) => {
  const { alice, token, status, loseAnswer } = await signedIn(t, (await makeStorage()).storage)
  await loseAnswer(await alice.page(ASKS_AGAIN))
  await signInOn(alice, asPage(await alice.open(ASKS_AGAIN)), 'bob')
  t.equal(await status(token), 401)
})

const isRenewal = (args: readonly unknown[]) => Object.hasOwn((args[2] as Change).set, 'secret')

for (const kept of ['first', 'last'] as const) {
  forEachStorage(
    t,
    `three tabs sign in again at once, and the cookie of the ${kept} answer is kept`,
    async (t, makeStorage) => {
      let waiting = Number.NaN
      let beforeRenewal: (() => Promise<unknown>) | undefined
      let joined: Promise<unknown> | undefined
      const storage = observed((await makeStorage()).storage, async (call, run, args) => {
        if (call === 'change session' && isRenewal(args) && !Number.isNaN(waiting)) {
          waiting += 1
          await until('all are about to renew the session', async () => waiting >= 3)
          joined ??= beforeRenewal?.()
          await joined
        }
        return run()
      })
      const { alice, visitor, token, redeem, status } = await signedIn(t, storage)
      const pages: Page[] = []
      for (let i = 0; i < 3; i++) pages.push(await alice.page(ASKS_AGAIN))
      const fourth = visitor()
      keepOnly(fourth, alice.cookies)
      let late = ''
      beforeRenewal = async () => {
        late = await redeem(asDeparture(await fourth.open(SILENT)))
      }
      waiting = 0
      const answers: ReadonlyMap<string, string>[] = []
      const submit = async ({ hidden }: Page) => {
        const body = new URLSearchParams({ ...hidden, username: 'alice', password: PASSWORD })
        await alice.request('POST', PATHS.interaction, body.toString())
        answers.push(new Map(alice.cookies))
      }
      await Promise.all(pages.map(submit))
      waiting = Number.NaN
      keepOnly(alice, answers.at(kept === 'first' ? 0 : -1) ?? new Map())
      t.same([await status(token), await status(late)], [200, 200])
      await signOut(alice)
      t.same([await status(token), await status(late)], [401, 401], 'the logout ends all of them')
    },
  )
}
