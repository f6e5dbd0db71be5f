// What a request costs that is not sampled, and how spans are named; with the real SDK in this process.
import { type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace-node'
import t from 'tap'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { CLIENTS, SECRET, startService } from '../../../support/service.ts'
import { recordSpans } from '../../../support/spans.ts'

let is_sampled = false
/** How often the sampler was asked: once for each span that is made. */
let asked = 0
const sampler: Sampler = {
  shouldSample() {
    asked += 1
    return { decision: is_sampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD }
  },
  toString: () => 'that of the test',
}
const exporter = recordSpans(t, sampler)

/** Storage that says how long its server took, as Redis does, so that its steps are spans. */
function asServer(): Storage {
  const storage = new MemoryStorage()
  return { ...storage, timings: {}, probe: () => storage.probe(), close: () => storage.close() }
}

t.test('a request that is not sampled makes its own span alone, and none of its parts (K5)', async (t) => {
  const { token } = await startService(t, { storage: asServer() })
  const issue = () =>
    token({ grant_type: 'client_credentials', client_id: CLIENTS.service.client_id, client_secret: SECRET })
  for (const [sampled, spans] of [
    [false, 1],
    [true, 2],
  ] as const) {
    is_sampled = sampled
    asked = 0
    exporter.reset()
    t.equal((await issue()).status, 200)
    t.ok(sampled ? asked >= spans : asked === spans, `the sampler was asked ${asked} times`)
    t.equal(exporter.getFinishedSpans().length, sampled ? asked : 0)
  }
})

t.test('names and attributes of spans are of closed sets, whatever is typed (K2)', async (t) => {
  const { get, post } = await startService(t, { storage: asServer() })
  is_sampled = true
  exporter.reset()
  for (let i = 0; i < 20; i++) {
    await get(`/no/such/planted-${i}?planted=${i}`)
    await get(`/oauth2/authorize?client_id=planted-${i}&scope=planted-${i}`)
    await post('/oauth2/token', { grant_type: `planted-${i}`, client_id: `planted-${i}` })
  }
  const spans = exporter.getFinishedSpans()
  t.notMatch(JSON.stringify(spans.map(({ name, attributes }) => [name, attributes])), 'planted')
  t.ok(new Set(spans.map(({ name }) => name)).size < 8)
})
