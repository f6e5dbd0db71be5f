// A hole of another server: texts of requests became labels of metrics, so that anybody could make time series until the
// memory was full (CVE-2026-16100). Here the number of series is bounded by the routes, and no text of a request is in one.
import { METHODS } from 'node:http'
import { FORM } from '../../../support/hostile/endpoints.ts'
import { siege, words } from '../../../support/hostile/siege.ts'
import { listen, request } from '../../../support/raw-http.ts'
import { basic, bearer } from '../../../support/service.ts'

const ROUNDS = 20
const PATHS = words(
  '/oauth2/token /oauth2/authorize /oauth2/revoke /oauth2/introspect /oauth2/interaction /userinfo /api/resource /',
)

siege('a flood of different requests makes no new time series', async (t, service) => {
  const { listTimeSeries } = reader(service)
  const flood = async (mark: string) => {
    const form = `grant_type=${mark}&client_id=${mark}&client_secret=${mark}&scope=${mark}&username=${mark}&error=${mark}`
    for (const path of PATHS) {
      const origin = { origin: `https://${mark}`, 'user-agent': mark, host: mark, 'x-request-id': mark }
      const headers = [bearer(mark), basic(mark, mark), { authorization: mark }, {}]
      for (const each of headers) {
        await service.send({ url: `${path}?${form}`, headers: { ...origin, ...each } })
        const posted = { ...origin, ...each, 'content-type': FORM }
        await service.send({ method: 'POST', url: path, headers: posted, payload: form })
      }
      for (const below of [`${path}/${mark}`, `/${mark}${path}`, `/api/${mark}`, `/.well-known/${mark}`])
        await service.send({ url: below })
    }
  }
  await flood('mark-0-')
  const before = await listTimeSeries()
  for (let round = 1; round <= ROUNDS; round++) await flood(`mark-${round}-`)
  t.same(await listTimeSeries(), before)
  t.notMatch(before.join('\n'), /mark-/)
})

siege('no method makes more time series than it has routes', async (t, service) => {
  const send = await listen(service.fastify)
  const { listTimeSeries } = reader(service)
  for (const method of [...METHODS, 'mark-1', 'MARK-2', 'GETX']) {
    if (method !== 'CONNECT') await send(request(`${method} /api/mark`))
  }
  const series = await listTimeSeries()
  t.notMatch(series.join('\n'), /mark/i)
  const methods = new Set(series.map((one) => /method="([^"]+)"/.exec(one)?.[1]))
  t.ok(methods.size > 1)
  for (const method of methods) t.ok(METHODS.includes(method ?? ''), `${method}`)
})

/** Reads the names and labels of the request metrics. */
function reader(service: { get(path: string): Promise<{ text: string }> }) {
  const listTimeSeries = async () => {
    const { text } = await service.get('/actuator/prometheus')
    const lines = text.split('\n').filter((line) => line.startsWith('http_server_requests_seconds_count'))
    // Reading the metrics is a request as well.
    return lines
      .map((line) => line.split(' ')[0] ?? '')
      .filter((line) => !line.includes('/actuator/'))
      .sort()
  }
  return { listTimeSeries }
}
