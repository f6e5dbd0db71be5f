// The plan oidcc-backchannel-rp-initiated-logout-certification-test-plan.

import { createLocalJWKSet, jwtVerify } from 'jose'
import t from 'tap'
import { startPlan } from '../../../support/conformance/plan.ts'
import { POST_LOGOUT } from '../../../support/conformance/records.ts'
import { startRelyingParty, tokenIn } from '../../../support/logout/relying-party.ts'
import { changeClient } from '../../../support/records.ts'
import { until } from '../../../support/until.ts'
import { asDeparture } from '../../../support/visitor.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
// Every character that a state may contain (RFC 6749 Appendix A.5) except the space.
const STATE = String.fromCharCode(...Array.from({ length: 0x7e - 0x20 }, (_, index) => index + 0x21))

t.test('oidcc-backchannel-logout-discovery-endpoint-verification', async (t) => {
  const { metadata } = await startPlan(t)
  t.equal(metadata.backchannel_logout_supported, true)
  t.equal(metadata.backchannel_logout_session_supported, true)
  t.equal(new URL(String(metadata.end_session_endpoint)).protocol, 'https:')
})

t.test('oidcc-backchannel-rp-initiated-logout', async (t) => {
  const plan = await startPlan(t, 'query', { backchannel_allow_private: true })
  const suite = await startRelyingParty(t)
  await changeClient(plan.storage, 'suite-1', { set: { backchannel_logout_uri: suite.uri }, unset: [] })
  const browser = plan.visitor()
  const { id_token, claims } = await plan.flow(t, browser, { state: 'aZ09'.repeat(32) })

  const request = { id_token_hint: id_token, post_logout_redirect_uri: POST_LOGOUT, state: STATE }
  const { location } = asDeparture(
    await browser.open(`${plan.pathOf('end_session_endpoint')}?${new URLSearchParams(request)}`),
  )
  t.equal(location.origin + location.pathname, POST_LOGOUT)
  t.strictSame([...location.searchParams], [['state', STATE]], 'the state and nothing else')

  await until('the suite was told', () => suite.posted.length === 1)
  const [posted] = suite.posted
  if (posted === undefined) throw new Error('nobody posted')
  t.equal(posted.method, 'POST')
  t.equal(posted.headers['content-type'], 'application/x-www-form-urlencoded')
  t.strictSame([...new URLSearchParams(posted.body).keys()], ['logout_token'])
  const { payload, protectedHeader } = await jwtVerify(
    tokenIn(posted),
    createLocalJWKSet({ keys: [...plan.keys] }),
    { issuer: String(plan.metadata.issuer), audience: 'suite-1' },
  )
  t.equal(protectedHeader.alg, 'RS256')
  t.ok(plan.keys.some(({ kid }) => kid === protectedHeader.kid))
  t.strictSame(Object.keys(payload).sort(), ['aud', 'events', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub'])
  t.ok(Math.abs(Number(payload.iat) - plan.now()) < 300)
  t.match(payload.jti, /./)
  t.strictSame(payload.events, { [EVENT]: {} })
  t.strictSame([payload.sub, payload.sid], [claims.sub, claims.sid], 'those of the id_token')
  t.notOk('nonce' in payload)

  t.equal(await plan.errorFor(t, browser, { prompt: 'none', state: 'aZ09'.repeat(32) }), 'login_required')
})
