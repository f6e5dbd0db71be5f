// A rule about the strength of sign-ins (`required_acr`) is asked at every door, and of what exists. Forward authentication asks the
// same function for the token in its cookie: test/main/routes/forward-auth.test.ts.
import t from 'tap'
import { findLiveToken } from '../../../../src/tokens/access-token.ts'
import { answerDevice, startWithDevices } from '../../../support/device.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl, signInAndAgree } from '../../../support/scene/requests.ts'
import { bearer, REDIRECT_URI, VERIFIER } from '../../../support/service.ts'
import { asDeparture } from '../../../support/visitor.ts'

const ENDED = {
  status: 400,
  json: { error: 'invalid_grant', error_description: /weaker than this client demands/ },
}

t.test('a client that begins to demand a strength: codes, devices, refresh, bearer tokens', async (t) => {
  const { visitor, storage, fastify, token, get, codes, poll } = await startWithDevices(t)
  const browser = visitor()
  const form = {
    grant_type: 'authorization_code',
    client_id: 'shop',
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  }
  const shop = { scope: 'openid profile', redirect_uri: REDIRECT_URI }
  const code = async () => {
    const departed = await browser.open(requestUrl(shop))
    return String(('told' in departed ? departed : asDeparture(departed)).told.get('code'))
  }
  await signInAndAgree(browser, shop)
  const redeem = async (given: string) => token({ ...form, code: given })
  const { json: tokens } = await redeem(await code())
  const waiting = await code()
  const device = await codes()
  await answerDevice(visitor(), device.verification_uri_complete)
  /** What introspection asks. */
  const isLive = async () => (await findLiveToken(fastify.redmint, String(tokens.access_token))).valid
  t.equal(await isLive(), true)
  t.equal((await get('/userinfo', bearer(String(tokens.access_token)))).status, 200)

  for (const client_id of ['shop', 'tv'])
    await changeClient(storage, client_id, { set: { required_acr: '2 phr' } })

  t.equal((await get('/userinfo', bearer(String(tokens.access_token)))).status, 401, 'user information')
  t.equal(await isLive(), false, 'introspection')
  t.match(await redeem(waiting), ENDED, 'a code')
  t.match(await poll(device.device_code), ENDED, 'a device code')
  const refresh = {
    grant_type: 'refresh_token',
    client_id: 'shop',
    refresh_token: String(tokens.refresh_token),
  }
  t.match(await token(refresh), ENDED, 'a refresh token')
  await changeClient(storage, 'shop', { set: {}, unset: ['required_acr'] })
  t.match(await token(refresh), { status: 400 }, 'the grant has ended')
})
