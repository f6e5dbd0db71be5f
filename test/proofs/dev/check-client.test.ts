// `redmint dev check-client` against a relying party with each fault planted in it (D9), and against one with none.
import t from 'tap'
import { checkClientAt, type PartyToCheck } from '../../../dev/check-client/check-client.ts'
import { CLIENT_CHECKS } from '../../../dev/check-client/checks.ts'
import { verdictOf } from '../../../dev/report/report.ts'
import { startParts } from '../../../dev/start.ts'
import { notPassed } from '../../support/dev/not-passed.ts'
import { RelyingPartyWithFaults } from '../../support/dev/relying-party.ts'

const party = new RelyingPartyWithFaults()
const origin = await party.start()
t.teardown(() => party.close())
const { redmint, parts } = await startParts({
  seed: {
    clients: [
      {
        client_id: 'shop',
        is_public: true,
        redirect_uris: [`${origin}/callback`],
        allowed_scopes: ['openid', 'profile', 'offline_access'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
  },
})
t.teardown(() => redmint.close())
party.issuer = parts.issuer

const check = (options: Partial<PartyToCheck> = {}) =>
  checkClientAt(parts, { url: `${origin}/account`, slow: 0.2, pause: 0, ...options })

t.test('D9: a relying party without a fault passes every check', async (t) => {
  party.plant()
  const report = await check()
  t.same(notPassed(report), [])
  t.equal(report.results.length, CLIENT_CHECKS.length)
})

for (const { id, level } of CLIENT_CHECKS) {
  t.test(`D9: the fault ${id} is found`, async (t) => {
    party.plant(id)
    const { results } = await check({ only: [id] })
    const [result] = results
    t.ok(result, 'the check runs')
    if (result)
      t.equal(verdictOf(result), level === 'advice' ? 'advice' : 'failed', JSON.stringify(result.outcome))
  })
}
