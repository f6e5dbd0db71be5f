// Storage fails at each call of each step of a sign-in and of a logout, before or after the call: the user sees an error
// page and can try again, or goes on.

import t, { type Test } from 'tap'
import { saveConsent } from '../../../../src/interaction/consent.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { observed, ofRequests } from '../../../support/observed.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest } from '../../../support/service.ts'
import { asPage, type Departure, type Page, type Visitor } from '../../../support/visitor.ts'

type Found = Page | Departure
/** Prepares a step, and returns the step itself. */
type Prepare = (person: Visitor) => Promise<() => Promise<Found>>

/** A storage whose n-th call from now fails: it is `refused`, or it is executed and its answer is `lost`. */
function faultyStorage() {
  const memory = new MemoryStorage()
  const fault = { left: Number.POSITIVE_INFINITY, kind: 'refused' as 'refused' | 'lost' }
  const failing = ofRequests(async (_call, run) => {
    fault.left -= 1
    const isTheOne = fault.left === 0
    if (isTheOne && fault.kind === 'refused') throw new StorageUnavailable('this is the test')
    const answer = await run()
    if (isTheOne) throw new StorageUnavailable('this is the test')
    return answer
  })
  return { storage: observed(memory, failing), fault }
}

const LOGOUT = 'a logout that is asked for'
const NO_SIGN_IN = 'Signing in is not possible right now'
const NO_LOGOUT = 'Signing out did not work'
const EXPIRED = 'This sign-in is no longer open'
const SHOP = { client_id: 'shop' }

const consent = async (person: Visitor) => asPage(await signInOn(person, await person.page(requestUrl())))

const STEPS: Record<string, Prepare> = {
  'a request, nobody signed in': async (person) => () => person.open(requestUrl()),
  'a request, signed in': async (person) => {
    await signInAndAgree(person)
    return () => person.open(requestUrl())
  },
  'the sign-in': async (person) => {
    const login = await person.page(requestUrl())
    return () => signInOn(person, login)
  },
  'a sign-in again': async (person) => {
    await signInAndAgree(person)
    const login = await person.page(requestUrl({ prompt: 'login' }))
    return () => signInOn(person, login)
  },
  "another user's sign-in": async (person) => {
    await signInAndAgree(person)
    const login = await person.page(requestUrl({ prompt: 'login' }))
    return () => signInOn(person, login, 'bob')
  },
  'a sign-in that fails': async (person) => {
    const login = await person.page(requestUrl())
    return () => person.submit(login, { username: 'alice', password: 'wrong' })
  },
  consent: async (person) => {
    const page = await consent(person)
    return () => person.submit(page, { decision: 'allow' })
  },
  refusal: async (person) => {
    const page = await consent(person)
    return () => person.submit(page, { decision: 'deny' })
  },
  [LOGOUT]: async (person) => {
    await signInAndAgree(person)
    const page = await person.page('/oauth2/logout')
    return () => person.submit(page, { decision: 'logout' })
  },
}

for (const [name, prepare] of Object.entries(STEPS)) {
  for (const kind of ['refused', 'lost'] as const)
    t.test(`${name}: a call is ${kind}`, (t) =>
      tryEach(t, prepare, kind, name === LOGOUT ? NO_LOGOUT : NO_SIGN_IN),
    )
}

async function tryEach(t: Test, prepare: Prepare, kind: 'refused' | 'lost', title: string) {
  const { storage, fault } = faultyStorage()
  const { visitor, token } = await scene(t, { storage, sign_in_failures: 1000 })
  const forget = async () =>
    saveConsent({ storage: storage, now: Date.now }, { sub: 'sub-of-alice', client_id: 'shop', scope: '' }, 1)
  let told = 0
  for (let n = 1; ; n++) {
    await forget()
    const person = visitor()
    const step = await prepare(person)
    Object.assign(fault, { left: n, kind })
    const found = await step()
    const isOver = fault.left > 0
    fault.left = Number.POSITIVE_INFINITY
    if (isOver) break
    const fresh = async () => {
      const again = await person.open(requestUrl())
      if (!('location' in again)) t.equal(again.status, 200, 'and a new request works')
    }
    if ('location' in found) {
      // The form could not answer, so the step after it did.
      const code = found.told.get('code')
      if (code !== null)
        t.equal((await token(codeRequest(code, SHOP))).status, 200, `call ${n}: it is stored`)
    } else if (found.status === 400 && kind === 'lost') {
      // There is an answer, but nobody knows it.
      t.equal(found.title, EXPIRED, `call ${n}`)
      await fresh()
    } else if (found.status === 503) {
      told += 1
      t.ok(found.headers['retry-after'], `call ${n}`)
      t.equal(found.title, title)
      // Reloading a form sends it again; opening the page again shows what is due.
      const again = await step()
      if (!('location' in again))
        t.ok([200, 400].includes(again.status), `call ${n}, once more: ${again.title}`)
      await fresh()
    } else t.equal(found.status, 200, `call ${n} did not matter: ${found.title}`)
  }
  t.ok(told > 0, 'at least one call mattered')
}
