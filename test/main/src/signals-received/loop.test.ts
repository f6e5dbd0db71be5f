// One redmint says what is over, and another one, whose provider it is, takes its word.
import t from 'tap'
import { recorderOn } from '../../../support/audited.ts'
import { operatorOn } from '../../../support/operator.ts'
import { kindsOf, ON } from '../../../support/receivers.ts'
import { changeClient } from '../../../support/records.ts'
import { claimsIn } from '../../../support/scene/tokens.ts'
import { bearer, SECRET } from '../../../support/service.ts'
import { startWithSignals } from '../../../support/signals.ts'
import { until } from '../../../support/until.ts'

const SCOPE = 'ssf.manage global_token_revocation'

t.test('what redmint sends, redmint takes', async (t) => {
  const { upstream, come, push, isIn, happened } = await startWithSignals(
    t,
    {},
    {},
    {
      ...ON,
      global_token_revocation: 'on',
    },
  )
  const set = {
    allowed_scopes: `openid profile email ${SCOPE}`,
    grant_types: 'authorization_code client_credentials',
  }
  await changeClient(upstream.storage, 'redmint', { set })
  // As the index is some time after a record was written by hand.
  await upstream.setFields('alice', {})
  const own = { client_id: 'redmint', client_secret: SECRET }
  const granted = await upstream.token({ ...own, grant_type: 'client_credentials', scope: SCOPE })
  const headers = { ...bearer(String(granted.json.access_token)), 'content-type': 'application/json' }
  const ask = (url: string, payload: object) =>
    upstream.request({ method: 'POST', url, headers, payload: JSON.stringify(payload) })
  const { json } = await ask('/ssf/stream', {})
  /** Polls until there are so many tokens, and pushes them here. */
  const carry = async (count: number) => {
    let sets: Record<string, string> = {}
    await until('it is told', async () => {
      const polled = await ask(`/ssf/poll/${json.stream_id}`, {})
      sets = polled.json.sets as Record<string, string>
      return Object.keys(sets).length >= count
    })
    for (const token of Object.values(sets)) t.match(await push(token), { status: 202 })
    await ask(`/ssf/poll/${json.stream_id}`, { maxEvents: 0, ack: Object.keys(sets) })
    return kindsOf(Object.values(sets).map(claimsIn))
  }

  const [alice, elsewhere] = [await come(), await come()]
  const sub_id = { format: 'opaque', id: 'sub-of-alice' }
  t.equal((await ask('/oauth2/global-token-revocation', { sub_id })).status, 204)
  t.strictSame(await carry(1), ['session-revoked'])
  t.notOk((await isIn(alice)) || (await isIn(elsewhere)))
  t.equal(happened('sessions_ended', 'alice'), 2)

  const again = await come()
  const { recorder } = recorderOn(upstream.storage)
  const operator = operatorOn(upstream.storage, { recorder, settings: upstream.redmint.settings })
  await operator.run('disable_user', { params: { username: 'alice' } })
  t.strictSame(await carry(2), ['account-disabled', 'session-revoked'])
  t.notOk(await isIn(again))
})
