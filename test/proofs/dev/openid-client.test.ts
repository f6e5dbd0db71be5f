// `redmint dev check-client` against openid-client: what it finds in a known good client is advice.
import t from 'tap'
import { checkClientAt } from '../../../dev/check-client/check-client.ts'
import { verdictOf } from '../../../dev/report/report.ts'
import { startParts } from '../../../dev/start.ts'
import { notPassed } from '../../support/dev/not-passed.ts'
import { OpenidClientParty } from '../../support/dev/openid-client-party.ts'

t.test('D9: openid-client passes', async (t) => {
  const party = new OpenidClientParty()
  const origin = await party.start()
  t.teardown(() => party.close())
  const { redmint, parts } = await startParts({
    seed: {
      clients: [
        {
          client_id: 'shop',
          is_public: true,
          redirect_uris: [`${origin}/callback`],
          allowed_scopes: ['openid', 'profile'],
        },
      ],
    },
  })
  t.teardown(() => redmint.close())
  party.issuer = redmint.issuer
  const { results, stopped } = await checkClientAt(parts, { url: `${origin}/account`, slow: 0.2, pause: 0 })
  t.equal(stopped, undefined)
  const idsOf = (verdict: string) =>
    results.filter((result) => verdictOf(result) === verdict).map(({ check }) => check.id)
  t.same(idsOf('failed'), [])
  t.same(idsOf('skipped'), ['refresh-answer-lost'])
  // What it leaves to TLS and to a cache.
  t.same(idsOf('advice'), ['issued-far-away', 'access-token-hash', 'type-wrong', 'key-sudden'])

  party.pushes = true
  const pushed = await checkClientAt(parts, {
    url: `${origin}/account`,
    only: ['pkce', 'redirect-uri', 'state-wrong'],
  })
  t.same(notPassed(pushed), [], 'a request that is pushed')
})
