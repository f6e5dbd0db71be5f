// From the cost of one token request to machines.
import t from 'tap'
import { costText, rateTable, saturationText } from '../../../bench/capacity.ts'
import { costsOf, needs, saturation, type TokenCosts } from '../../../bench/capacity-plan.ts'

const COSTS: TokenCosts = {
  cpu: 60,
  jwt_cpu: 120,
  redis_cpu: 12,
  cluster_redis_cpu: 30,
  redis_bytes: 500,
  http_bytes: 1000,
  stored_bytes: 320,
}

t.test('a resource of a single Redis that is full first comes first', async (t) => {
  const limits = saturation(COSTS)
  t.match(limits, [
    { what: /CPU/, rate: 50_000 },
    { what: /memory/, rate: 16e9 / (900 * 320) },
    { what: /network/, rate: 1_500_000 },
  ])
  t.match(saturation({ ...COSTS, stored_bytes: 3200 })[0], { what: /memory/ })
})

t.test('needs grow with the rate, and a Cluster takes over where a single Redis is full', async (t) => {
  t.match(needs(COSTS, 1_000), { replicas: 1, masters: 1, memory_gb: 0.288, http_gbit: 0.008 })
  t.match(needs(COSTS, 50_000), { replicas: 5, masters: 1 })
  t.match(needs(COSTS, 50_001), { replicas: 6, masters: 3 }, 'a Cluster has three masters at least')
  t.match(needs(COSTS, 1_000_000), { replicas: 100, masters: 50, memory_gb: 288, redis_gbit: 4 })
  t.match(needs({ ...COSTS, stored_bytes: 3200 }, 1_000_000), { masters: 180 }, 'memory decides')
})

t.test('the tables have every rate and 100 million tokens', async (t) => {
  t.match(rateTable(COSTS), '| 1,000,000 | 100 | 50 | 288 | 4 | 200 | 8 |')
  t.match(saturationText(COSTS), 'Above 50,000 token requests a second a Cluster takes over.')
  t.match(saturationText(COSTS), '100,000,000 live tokens take 32 GB')
  t.match(costText(COSTS), '| Redis memory | 320 bytes |')
})

t.test('the costs are read from a run, and a missing one is named', async (t) => {
  const sample = { cpu: 60, redis_cpu: 12, redis_bytes: 500, http_bytes: 1000, rate: 1, p50: 1, p99: 1 }
  const row = (name: string, label: 'redmint' | 'redmint, Cluster', cpu: number, redis_cpu: number) => ({
    name,
    candidates: [{ label, server: label, samples: [{ ...sample, cpu, redis_cpu }], stored_bytes: 320 }],
  })
  const rows = [
    row('cc-basic', 'redmint', 60, 12),
    row('cc-es256', 'redmint', 120, 0),
    row('cluster', 'redmint, Cluster', 90, 30),
  ]
  t.same(costsOf({ rows }), COSTS)
  t.throws(() => costsOf({ rows: rows.slice(0, 2) }), /no redis_cpu of redmint, Cluster in the row cluster/)
})
