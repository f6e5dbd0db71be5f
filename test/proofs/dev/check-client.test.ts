// `redmint dev check-client` against a relying party with each fault planted in it (D9), and against one with none.
import t from 'tap'
import { CALLBACK_CHECKS } from '../../../dev/check-client/callback-checks.ts'
import { checkClientAt, type PartyToCheck } from '../../../dev/check-client/check-client.ts'
import { CLIENT_CHECKS } from '../../../dev/check-client/checks.ts'
import { SIGNED_ANSWER_CHECKS } from '../../../dev/check-client/signed-answer-checks.ts'
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

const SIGNED = SIGNED_ANSWER_CHECKS.map(({ id }) => id)

t.test('D9: a relying party without a fault passes every check', async (t) => {
  party.plant()
  const report = await check({ skip: SIGNED })
  t.same(notPassed(report), [])
  const signed = await check({ only: SIGNED })
  t.equal(report.results.length + signed.results.length, CLIENT_CHECKS.length)
  t.ok(
    signed.results.every(({ outcome }) => outcome.is === 'skipped'),
    'it asks for no signed answers',
  )
})

t.test(
  'D9: one that asks for signed answers (JARM) passes every check of them, and of other answers',
  async (t) => {
    party.plant()
    party.asks_signed = true
    t.teardown(() => {
      party.asks_signed = false
    })
    t.same(notPassed(await check({ only: [...SIGNED, ...CALLBACK_CHECKS.map(({ id }) => id)] })), [
      'state-repeated: skipped {"is":"skipped","why":"A signed answer cannot have a parameter twice."}',
    ])
    for (const id of ['state-wrong', 'state-missing', 'code-of-another', 'callback-twice']) {
      party.plant(id)
      const { results } = await check({ only: [id] })
      t.same(results.map(verdictOf), ['failed'], `${id} is found in a signed answer`)
    }
  },
)

for (const { id, level } of CLIENT_CHECKS) {
  t.test(`D9: the fault ${id} is found`, async (t) => {
    party.plant(id)
    party.asks_signed = SIGNED.includes(id)
    t.teardown(() => {
      party.asks_signed = false
    })
    const { results } = await check({ only: [id] })
    const [result] = results
    t.ok(result, 'the check runs')
    if (result)
      t.equal(verdictOf(result), level === 'advice' ? 'advice' : 'failed', JSON.stringify(result.outcome))
  })
}
