// docs/events.md has every metric, and no others.
import { Registry } from 'prom-client'
import t from 'tap'
import { registerServiceMetrics } from '../../../plugins/service-metrics.ts'
import { completeSettings } from '../../../src/config/settings.ts'
import { completeContext, createGround } from '../../../src/context.ts'
import { ENDPOINTS } from '../../../src/core/endpoints.ts'
import { EVENTS } from '../../../src/core/events.ts'
import { SILENT } from '../../../src/core/log.ts'
import { REASONS, type Reason } from '../../../src/core/reasons.ts'
import { VERSION } from '../../../src/core/version.ts'
import { LOCKING_COUNTERS } from '../../../src/limits/lockouts.ts'
import { countRefusal } from '../../../src/service/counts.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { REDIS_INTENTS } from '../../../src/storage/redis/parts/access.ts'
import { codeIn, readText, section, tableRows } from '../../support/markdown.ts'
import { ISSUER, useTestKeys } from '../../support/service.ts'

// Of these the page has no list.
const SETS: Record<string, string[]> = {
  'each event above': Object.keys(EVENTS),
  'each counter of [lockouts](operations.md#lockouts)': Object.keys(LOCKING_COUNTERS),
  'each [reason](errors.md#reasons)': Object.keys(REASONS),
  'that of redmint': [VERSION],
}
const MAIL = { smtp_url: 'smtps://mail.example.com', mail_from: 'login@example.com' }
const ALL = { ...MAIL, audit: 'on' } as const
const page = await readText('docs/events.md')

t.test('J8: every metric of the service, with its type, its labels and their values', async (t) => {
  const timings = Object.fromEntries(REDIS_INTENTS.map((intent) => [intent, { calls: 0, seconds: 0 }]))
  const memory = async () => ({ used: 1, max: 2 })
  const storage = Object.assign(new MemoryStorage(), { timings, memory })
  await useTestKeys(storage)
  const context = completeContext(
    createGround({ settings: completeSettings({ issuer: ISSUER, ...ALL }), storage }, SILENT),
  )
  t.teardown(() => context.keys.close())
  await context.keys.start()
  const registry = new Registry()
  registerServiceMetrics(registry, context)
  const reasons = Object.keys(REASONS) as Reason[]
  for (const endpoint of ENDPOINTS)
    for (const reason of reasons) countRefusal(context.counts, endpoint, reason)

  const metrics = tableRows(section(page, 'Metrics')).slice(1)
  const found = await registry.getMetricsAsJSON()
  const shapes = found.map(({ name, type, values }) => {
    const labels = new Set(values.flatMap((value) => Object.keys(value.labels)))
    return [name, String(type), [...labels].sort()]
  })
  t.strictSame(
    metrics.map(([name = '', type, labels = '']) => [codeIn(name)[0], type, codeIn(labels).sort()]).sort(),
    shapes.sort(),
  )

  const labels = tableRows(section(page, 'Labels')).slice(1)
  const values = new Map<string, Set<string>>()
  for (const [name, value] of found.flatMap((metric) =>
    metric.values.flatMap((one) => Object.entries(one.labels)),
  )) {
    values.set(name, new Set([...(values.get(name) ?? []), String(value)]))
  }
  const listed = labels.map(([name = '', of = '']) => [codeIn(name)[0], (SETS[of] ?? codeIn(of)).toSorted()])
  t.strictSame(listed.sort(), [...values].map(([name, used]) => [name, [...used].sort()]).sort())
})
