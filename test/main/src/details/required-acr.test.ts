// The strength that a type of details demands of the sign-in in which a person allows it, by each way that asks a person.
import t from 'tap'
import { detailsOf, storePayments } from '../../../support/details.ts'
import { deviceOf, openDevice, startWithDevices } from '../../../support/device.ts'
import { requestUrl, signInOn, usePasskey } from '../../../support/scene/requests.ts'
import { asPage } from '../../../support/visitor.ts'

const ASKED = { scope: 'openid', authorization_details: detailsOf() }

t.test('a sign-in at an application and on a device asks for the passkey that a type demands', async (t) => {
  const service = await startWithDevices(t)
  const { storage, visitor, makePasskey } = service
  await storePayments(storage, { required_acr: 'phr' }, ['shop', 'tv'])
  const passkey = await makePasskey('alice')
  const alice = visitor()
  const refused = await signInOn(alice, await alice.page(requestUrl(ASKED)))
  t.equal(
    'told' in refused && refused.told.get('error'),
    'unmet_authentication_requirements',
    'by a password',
  )
  const consent = asPage(await usePasskey(alice, await alice.page(requestUrl(ASKED)), passkey))
  t.match(consent.text, 'Merchant A')
  t.match(consent.text, 'value="allow"')

  const { codes } = deviceOf(service)
  const { verification_uri_complete: uri } = await codes({ ...ASKED })
  const other = visitor()
  const page = await openDevice(other, uri)
  t.notMatch(page.text, 'value="allow"', 'nor for a device')
  t.match(asPage(await usePasskey(other, page, passkey)).text, 'value="allow"')
})

t.test('prompt=none and an acr that nobody has are refused', async (t) => {
  const { storage, visitor } = await startWithDevices(t)
  await storePayments(storage, { required_acr: 'phr', remember: 'true' }, ['shop'])
  const alice = visitor()
  await signInOn(alice, await alice.page('/account'))
  const silent = await alice.open(requestUrl({ ...ASKED, prompt: 'none' }))
  t.match('told' in silent && silent.told.get('error'), 'login_required')
  await storePayments(storage, { required_acr: 'urn:nobody' }, ['shop'])
  const impossible = await alice.open(requestUrl(ASKED))
  t.match('told' in impossible && impossible.told.get('error'), 'unmet_authentication_requirements')
})
