// What a restored Redis has and may have been used since, cannot be used any more.
import t, { type Test } from 'tap'
import { endRestored } from '../../../../../src/admin/host/after-restore.ts'
import { createInitialAccessToken } from '../../../../../src/clients/registration/initial-access-token.ts'
import type { SealPurpose } from '../../../../../src/keys/sealer.ts'
import { answerDevice, startWithDevices } from '../../../../support/device.ts'
import { pushedUrl, requestUriOf } from '../../../../support/pushing.ts'
import { requestUrl, signInOn } from '../../../../support/scene/requests.ts'

async function restored(t: Test) {
  const service = await startWithDevices(t)
  const { storage, redmint } = service
  /** Ends what is from before now. */
  const end = async () => {
    service.pass(1)
    const result = await endRestored(storage, Math.ceil(redmint.now() / 1000))
    await redmint.sealer.reload()
    return result
  }
  return { ...service, end }
}

const NOTHING = { requests: 0, links: 0, invitations: 0, recovery_codes: 0 }

t.test('nothing that was sealed can be opened: requests that wait, challenges, forms, mails', async (t) => {
  const { visitor, redmint, end } = await restored(t)
  const purposes: readonly SealPurpose[] = [
    'pending',
    'passkey',
    'mail',
    'console-start',
    'remembered',
    'dpop',
  ]
  const sealed = purposes.map((purpose) => [purpose, redmint.sealer.seal(purpose, 'a text')] as const)
  const alice = visitor()
  const page = await alice.page(requestUrl({ client_id: 'own' }))
  await end()
  for (const [purpose, text] of sealed) t.equal(redmint.sealer.open(purpose, text), undefined, purpose)
  t.notOk('location' in (await signInOn(alice, page)), 'the form leads to no code')
  const fresh = redmint.sealer.seal('pending', 'a text')
  await end()
  t.equal(redmint.sealer.open('pending', fresh), undefined, 'a second mark ends what came after the first')
})

t.test('requests that wait in storage are gone: pushed ones and those of devices', async (t) => {
  const service = await restored(t)
  const { get, codes, poll, end } = service
  const request_uri = await requestUriOf(service)
  const { device_code } = await codes()
  t.match((await end()).forgotten, { ...NOTHING, requests: 2 })
  t.equal((await get(pushedUrl(request_uri))).status, 400)
  t.match(await poll(device_code), { status: 400, json: { error: /expired_token|invalid_grant/ } })
})

t.test('a device that somebody allowed after the mark gets its tokens', async (t) => {
  const { storage, redmint, pass, codes, poll, visitor } = await restored(t)
  const { device_code, verification_uri_complete } = await codes()
  pass(2)
  const mark = Math.ceil(redmint.now() / 1000)
  pass(2)
  await answerDevice(visitor(), verification_uri_complete)
  t.match((await endRestored(storage, mark)).forgotten, { requests: 0 })
  t.match(await poll(device_code), { status: 200 })
})

t.test('links and invitations are gone', async (t) => {
  const { storage, redmint, resetLink, invite, open, visitor, usesLeft, end } = await restored(t)
  const link = await resetLink()
  const { id } = await invite({ uses: 2 })
  await createInitialAccessToken({ storage, now: redmint.now() }, { uses: 1, ttl: 60 })
  t.match((await end()).forgotten, { ...NOTHING, links: 1, invitations: 2 })
  t.notMatch((await open(visitor(), String(link))).text, /name="password"/)
  t.equal(await usesLeft(id), undefined)
  const later = await resetLink()
  t.match((await open(visitor(), String(later))).text, /name="password"/, 'a new one counts')
})

t.test('recovery codes are gone, and the app stays', async (t) => {
  const { setUp, check, factors, end } = await restored(t)
  const { recovery } = await setUp()
  const [code = ''] = await recovery()
  t.match((await end()).forgotten, { ...NOTHING, recovery_codes: 1 })
  t.equal(await check('alice', code), 'wrong')
  t.match(await factors(), { totp: {}, recovery: undefined })
  const [later = ''] = await recovery()
  t.equal(await check('alice', later), 'right')
})
