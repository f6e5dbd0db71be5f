// The dashboard and the alerts of deploy/ read metrics that there are, and docs/alerts.md explains each alert.
import t from 'tap'
import { parse } from 'yaml'
import { PARTIES, partyOf } from '../../../../src/core/third-parties.ts'
import { countRefusal } from '../../../../src/service/counts.ts'
import { missingFrom, readExpression, readScrape } from '../../../support/deploy/promql.ts'
import { readText } from '../../../support/markdown.ts'
import { onRedis } from '../../../support/matrix.ts'
import { basic, codeRequest, startService } from '../../../support/service.ts'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook_url: string }
}

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  datasource?: { uid: string }
  targets?: { refId: string; expr: string; datasource: { uid: string } }[]
}

interface Dashboard {
  schemaVersion: number
  panels: Panel[]
  templating: { list: { name: string; type: string; datasource?: { uid: string }; definition?: string }[] }
}

const { groups } = parse(await readText('deploy/prometheus/rules.yml')) as {
  groups: { rules: Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(await readText('deploy/grafana/redmint.json')) as Dashboard
const { panels } = dashboard
const targets = panels.flatMap((panel) => panel.targets ?? [])
const SOURCE = `\${datasource}`

onRedis(
  t,
  'every metric and label of the dashboard and the alerts is in a scrape',
  async (t, { storage }) => {
    const { get, token, post, code, fastify } = await startService(t, {
      storage,
      audit: 'on',
      smtp_url: 'smtp://127.0.0.1:1',
      mail_from: 'login@example.com',
    })
    // A third party that fails, each in its own way: src/core/third-parties.ts.
    for (const party of PARTIES)
      for (const reason of partyOf(party).reasons) countRefusal(fastify.redmint.counts, 'interaction', reason)
    await token(codeRequest(await code()))
    await token({ grant_type: 'client_credentials' }, basic('service', 'a-wrong-secret'))
    await post('/oauth2/introspect', { token: 'none' }, basic('service'))
    await get('/actuator/health/readiness')
    await get('/actuator/prometheus')
    // A collection before the scrape, so that each metric of the process is there.
    globalThis.gc?.()
    const { text } = await get('/actuator/prometheus')
    const scrape = readScrape(text)
    for (const { alert, expr } of rules) t.strictSame(missingFrom(scrape, expr), [], alert)
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) t.strictSame(missingFrom(scrape, expr), [], title)
    }
    for (const wrong of [
      'redmint_no_metric',
      'redmint_ready{chek="storage"}',
      'redmint_ready{check="storages"}',
      'redmint_ready{check=~"x.*"}',
      'sum by (chek) (redmint_ready)',
      'sum(rate(redmint_no_metric[5m])) / on (job) redmint_ready',
    ]) {
      t.equal(missingFrom(scrape, wrong).length, 1, wrong)
    }

    const shown = new Set(
      targets.flatMap(({ expr }) => readExpression(expr).selectors.map(({ name }) => name)),
    )
    for (const name of scrape.keys())
      if (name.startsWith('redmint_')) t.ok(shown.has(name), `${name} is shown`)
  },
)

t.test('the dashboard asks the data source that its reader chose', async (t) => {
  const [source, ...variables] = dashboard.templating.list
  t.match(source, { name: 'datasource', type: 'datasource', query: 'prometheus' })
  t.strictSame(
    variables.map(({ name, datasource }) => [name, datasource?.uid]),
    [
      ['job', SOURCE],
      ['instance', SOURCE],
    ],
  )
  for (const { title, type, datasource } of panels)
    if (type !== 'row') t.equal(datasource?.uid, SOURCE, title)
  for (const { expr, datasource } of targets) {
    t.equal(datasource.uid, SOURCE, expr)
    for (const { name, matchers } of readExpression(expr).selectors) {
      const chosen = matchers.filter(({ value }) => ['$job', '$instance'].includes(value))
      t.equal(chosen.length, 2, `${name} of the chosen servers in ${expr}`)
    }
  }
})

t.test('panels have ids of their own and do not overlap', async (t) => {
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const taken = new Map<string, string>()
  for (const { title, gridPos, targets = [] } of panels) {
    t.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
    t.ok(gridPos.x + gridPos.w <= 24, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        const there = taken.get(`${x} ${y}`)
        if (there !== undefined) t.fail(`${title} is over ${there}`)
        taken.set(`${x} ${y}`, title)
      }
    }
  }
})

t.test('each alert has a severity, texts and an entry in docs/alerts.md, and no other has one', async (t) => {
  const page = await readText('docs/alerts.md')
  const entries = [
    ...page.matchAll(/^### (\w+)\n\n\*\*Means\*\* [\s\S]+?\n\*\*Look at\*\* [\s\S]+?\*\*[Dd]o\*\* /gm),
  ]
  t.strictSame(entries.map(([, name]) => name).sort(), rules.map(({ alert }) => alert).sort())
  t.equal([...page.matchAll(/^### /gm)].length, entries.length)
  for (const { alert, labels, annotations } of rules) {
    t.ok(['critical', 'warning'].includes(labels.severity), alert)
    t.equal(annotations.runbook_url.split('/docs/')[1], `alerts.md#${alert.toLowerCase()}`)
    t.match(annotations.summary, /^[A-Z].*[^.]$/, alert)
    t.match(annotations.description, /\.$/, alert)
  }
})
