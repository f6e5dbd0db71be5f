// Measures what requests without credentials cost the process, with records and requests of normal and of largest size:
// `npm --prefix bench run strangers`. The service runs in this process, on memory, and its
// requests are injected, so that their parsing is counted, and sockets are not. Each figure is the least of some runs.
import type { InjectOptions } from 'fastify'
import { deliver } from './deliver.ts'
import { makeRequests, missingPaths, startBesieged } from './strangers-requests.ts'

const RUNS = Number(process.env.STRANGERS_RUNS ?? 7)
const REQUESTS = 60
const LIMIT = 3

const cpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const service = await startBesieged()

/** Returns the milliseconds of CPU for one request, those of the threads included, and its status. */
async function measure(request: () => InjectOptions): Promise<{ ms: number; status: number }> {
  const requests = Array.from({ length: REQUESTS }, request)
  let [ms, status] = [Number.POSITIVE_INFINITY, 0]
  for (let run = 0; run < RUNS; run += 1) {
    const before = cpu()
    for (const options of requests) status = (await service.inject(options)).statusCode
    ms = Math.min(ms, (cpu() - before) / REQUESTS)
  }
  return { ms, status }
}

const rows = makeRequests()
const missing = missingPaths(rows)
if (missing.length > 0) throw new Error(`no row asks ${missing.join(', ')}`)

const figures = []
let dear = 0
for (const { name, normal, largest } of rows) {
  const [usual, large] = [await measure(normal), largest && (await measure(largest.request))]
  if (Math.max(usual.ms, large?.ms ?? 0) > LIMIT) dear += 1
  figures.push({
    request: name,
    answer: [...new Set([usual.status, ...(large ? [large.status] : [])])].join(', '),
    'normal, ms': usual.ms,
    'largest, ms': large?.ms ?? '',
    'what is large': largest?.what ?? '',
  })
}
await service.close()
deliver([
  { title: `More than ${LIMIT} ms: ${dear === 0 ? 'none' : dear} of ${figures.length}`, rows: figures },
])
