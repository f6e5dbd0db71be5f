// Each alert of deploy/prometheus/ fires when it should and not before, by promtool with the series of a real run; and a
// real Prometheus reads two servers.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parse } from 'yaml'
import { DEMO_SERVICE } from '../../../../src/demo/demo-clients.ts'
import { ALERT_CASES, type AlertCase } from '../../../support/deploy/alert-cases.ts'
import { readExpression } from '../../../support/deploy/promql.ts'
import { changed, seriesOf, testFile } from '../../../support/deploy/promtool.ts'
import { readText } from '../../../support/markdown.ts'
import { freePort, ROOT, run } from '../../../support/process.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { startReady, visit } from '../../../support/server.ts'
import { basic } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: Record<string, string>
}

const RULES = join(ROOT, 'deploy/prometheus/rules.yml')
const promtool = (...args: string[]) => promisify(execFile)('promtool', args)
const { panels } = JSON.parse(await readText('deploy/grafana/redmint.json')) as {
  panels: { targets?: { expr: string }[] }[]
}
const { groups } = parse(await readText('deploy/prometheus/rules.yml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const ruleOf = (name: string) => {
  const rule = rules.find(({ alert }) => alert === name)
  if (rule === undefined) throw new Error(`there is no alert ${name}`)
  return rule
}
const used = new Set(rules.flatMap(({ expr }) => readExpression(expr).selectors.map(({ name }) => name)))

const redis = await startRedis(t)
const start = () =>
  startReady(t, { REDIS_URL: redis.url, ISSUER: 'https://auth.example.com', DEMO: 'public', AUDIT: 'on' })
const servers = await Promise.all([start(), start()])
const clients = servers.map(({ address }) => visit(address))
const isReady = async ({ get }: (typeof clients)[number]) =>
  (await get('/actuator/health/readiness')).status === 200

/** The series of both servers that the rules use, as Prometheus reads them when both pages have a line. */
async function readSeries(line: string) {
  let pages: string[] = []
  await until(`the metrics have ${line}`, async () => {
    pages = await Promise.all(clients.map(async ({ get }) => (await get('/actuator/prometheus')).text))
    return pages.every((page) => page.includes(`${line}\n`))
  })
  const series = pages.flatMap((page, index) => [...seriesOf(page, 'redmint', `auth-${index + 1}:3001`)])
  const read = new Map(series.filter(([name]) => used.has(name.split('{')[0] ?? '')))
  // How late a server is, the machine decides.
  return changed(read, { nodejs_eventloop_lag_p99_seconds: 0 })
}

const askForToken = () =>
  Promise.all(
    clients.map(async ({ token }) => {
      const { client_id, client_secret } = DEMO_SERVICE
      return (await token({ grant_type: 'client_credentials' }, basic(client_id, client_secret))).status
    }),
  )

t.setTimeout(280_000)

t.test('each alert fires when it should, and no other one with it', async (t) => {
  t.strictSame(await askForToken(), [200, 200])
  await redis.stop()
  t.strictSame(await askForToken(), [503, 503])
  const outage = await readSeries('redmint_ready{check="storage"} 0')
  await redis.restart()
  for (const client of clients) await until('it is ready', () => isReady(client))
  const healthy = await readSeries('redmint_ready{check="storage"} 1')

  const fired = new Set(ALERT_CASES.flatMap(({ fires }) => fires.map(({ alert }) => alert)))
  t.strictSame([...fired].sort(), rules.map(({ alert }) => alert).sort(), 'there is a case of each alert')
  const expected = ({ fires }: Pick<AlertCase, 'fires'>) =>
    fires.map(({ alert, labels, description }) => {
      const rule = ruleOf(alert)
      return {
        alert,
        labels: { ...labels, ...rule.labels },
        annotations: { ...rule.annotations, description },
      }
    })
  const cases = ALERT_CASES.flatMap((one) => [one, ...one.almost.map((almost) => ({ ...almost, fires: [] }))])
  const away = ['auth-1:3001', 'auth-2:3001'].map((instance) => ({
    alert: 'RedmintRedisUnusable',
    labels: { job: 'redmint', instance, check: 'storage' },
    description: `${instance} cannot write to Redis, and answers 503.`,
  }))
  const file = join(t.testdir(), 'alerts.test.json')
  const tests = [
    { name: 'healthy', series: healthy, at: '2h', fires: [] },
    { name: 'Redis away', series: outage, at: '2h', fires: expected({ fires: away }) },
    ...cases.map((one) => ({
      name: JSON.stringify(one.values),
      series: changed(healthy, one.values),
      at: one.at,
      fires: expected(one),
    })),
  ]
  await writeFile(
    file,
    testFile(
      RULES,
      rules.map(({ alert }) => alert),
      tests,
    ),
  )
  const { stdout } = await promtool('test', 'rules', file).catch((error: Error & { stdout: string }) => {
    t.fail(error.message)
    return error
  })
  t.match(stdout, /SUCCESS/)
})

t.test(
  'a real Prometheus reads both servers, and evaluates every rule and panel without an error',
  async (t) => {
    const folder = t.testdir({ data: {} })
    const config = join(folder, 'prometheus.yml')
    const targets = servers.map(({ port }) => `127.0.0.1:${port}`)
    await writeFile(
      config,
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [RULES],
        scrape_configs: [
          { job_name: 'redmint', metrics_path: '/actuator/prometheus', static_configs: [{ targets }] },
        ],
      }),
    )
    await promtool('check', 'config', config)
    const address = `127.0.0.1:${await freePort()}`
    const program = run(
      t,
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      {},
    )
    let over = false
    program.ended.then(() => {
      over = true
    })
    const api = async (path: string) => {
      if (over) throw new Error(`prometheus ended:\n${program.stderr}`)
      const response = await fetch(`http://${address}/api/v1/${path}`).catch(() => undefined)
      return response?.ok ? ((await response.json()) as { data: never }).data : undefined
    }
    const query = async (expression: string) => {
      const found = (await api(`query?query=${encodeURIComponent(expression)}`)) as
        | { result: { metric: Record<string, string> }[] }
        | undefined
      return (found?.result ?? []).map(({ metric }) => metric)
    }
    await until(
      'both servers are read',
      async () => (await query('up{job="redmint"} == 1')).length === 2,
      200,
    )
    t.strictSame((await query('redmint_build_info')).map(({ instance }) => instance).sort(), targets.sort())

    const evaluated = async () => {
      const found = (await api('rules')) as
        | { groups: { rules: { name: string; health: string }[] }[] }
        | undefined
      return found?.groups.flatMap((group) => group.rules) ?? []
    }
    const isDone = async () => (await evaluated()).every(({ health }) => health !== 'unknown')
    await until('every rule is evaluated', isDone, 200)
    t.strictSame(
      (await evaluated()).map(({ name, health }) => [name, health]),
      rules.map(({ alert }) => [alert, 'ok']),
    )

    const chosen = (expression: string) =>
      expression
        .replaceAll('$job', 'redmint')
        .replaceAll('$instance', '.+')
        .replaceAll('$__rate_interval', '1m')
    for (const { expr } of panels.flatMap(({ targets = [] }) => targets)) {
      t.ok(await api(`query?query=${encodeURIComponent(chosen(expr))}`), expr)
    }

    await redis.stop()
    const pending = 'ALERTS{alertname="RedmintRedisUnusable",alertstate="pending"}'
    await until('both servers are seen without Redis', async () => (await query(pending)).length === 2, 200)
    t.equal((await query('redmint_logout_queue_length')).length, 2, 'a value that is no number is read')
  },
)
