// The chart of deploy/helm/ as text: its values, their schema and its templates fit together, and it deploys what
// deploy/kubernetes/ deploys. test/foreign/helm.foreign.ts renders it.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'
import { ENVIRONMENT } from '../../../../src/config/environment.ts'
import { SECRET_SETTINGS } from '../../../../src/config/secret-settings.ts'
import { VERSION } from '../../../../src/core/version.ts'
import { readText } from '../../../support/markdown.ts'

interface Schema {
  type: string | string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  propertyNames?: { not: { anyOf: [secret: { pattern: string }, set: { enum: string[] }] } }
}

const CHART = 'deploy/helm/redmint'
const schema = JSON.parse(await readText(`${CHART}/values.schema.json`)) as Schema
const values = parse(await readText(`${CHART}/values.yaml`)) as Record<string, unknown>
const example = parse(await readText('deploy/helm/example.yaml')) as Record<string, unknown>
const names = await readdir(`${CHART}/templates`)
const templates = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await readText(`${CHART}/templates/${name}`)] as const)),
)

/** The paths of all values, without the entries of maps, which have names of their own. */
function pathsOf(schema: Schema, path = ''): string[] {
  if (schema.properties === undefined) return [path]
  return Object.entries(schema.properties).flatMap(([name, one]) => pathsOf(one, `${path}.${name}`))
}

/** The paths of values that are in a file. */
function given(values: unknown, schema: Schema, path = ''): string[] {
  if (schema.properties === undefined || typeof values !== 'object' || values === null) return [path]
  return Object.entries(values).flatMap(([name, value]) => {
    const one = schema.properties?.[name]
    return one === undefined ? [`unknown: ${path}.${name}`] : given(value, one, `${path}.${name}`)
  })
}

const allowed = pathsOf(schema).sort()

t.test('each value is in values.yaml, in the schema and in a template', async (t) => {
  t.strictSame(given(values, schema).sort(), allowed)
  const used = Object.values(templates).flatMap((text) =>
    [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path),
  )
  const leaf = (path: string) => allowed.find((one) => path === one || path.startsWith(`${one}.`))
  for (const path of used) t.ok(leaf(path) ?? allowed.some((one) => one.startsWith(`${path}.`)), path)
  // Maps such as the resources are written as they are.
  const written = (one: string) => used.some((path) => one === path || one.startsWith(`${path}.`))
  for (const path of allowed) t.ok(written(path), `${path} is used`)
})

t.test('the example has known values only', async (t) => {
  for (const path of given(example, schema)) t.ok(allowed.includes(path), path)
})

t.test('what is not in the schema is refused', async (t) => {
  const objects = (one: Schema): Schema[] => [one, ...Object.values(one.properties ?? {}).flatMap(objects)]
  for (const one of objects(schema)) if (one.properties) t.equal(one.additionalProperties, false)
})

t.test('secrets, and what the chart sets, are refused among the variables', async (t) => {
  const [secret, set] = schema.properties?.env?.propertyNames?.not.anyOf ?? []
  const variables = Object.keys(ENVIRONMENT.properties)
  const own = [...(templates['configmap.yaml'] ?? '').matchAll(/^ {2}([A-Z_]+): /gm)].map(
    ([, name = '']) => name,
  )
  t.ok(own.length > 3)
  for (const name of own) t.ok(set?.enum.includes(name) || name === 'REDIS_URL', name)
  for (const name of set?.enum ?? []) t.ok(variables.includes(name), `${name} is a variable`)
  const withPassword = ['redis_url', 'redis_password', 'redis_sentinel_password']
  t.strictSame(
    variables.filter((name) => new RegExp(secret?.pattern ?? '').test(name)).sort(),
    [...SECRET_SETTINGS, ...withPassword].map((name) => name.toUpperCase()).sort(),
  )
  const { env } = example
  for (const name of Object.keys(env as object)) t.ok(Object.hasOwn(ENVIRONMENT.properties, name), name)
})

t.test('its version is that of redmint', async (t) => {
  t.match(parse(await readText(`${CHART}/Chart.yaml`)), { version: VERSION, appVersion: VERSION })
})

/** A template without its actions, as YAML. */
function withoutActions(name: string) {
  const text = (templates[name] ?? '')
    .replaceAll(/^ *\{\{-? .*\}\}\n/gm, '')
    .replaceAll(/\{\{.*?\}\}/g, 'rendered')
  return parse(text) as Record<string, never>
}

const manifest = async (name: string) =>
  parse(await readText(`deploy/kubernetes/${name}`)) as Record<string, never>

interface Pod {
  containers: Record<string, unknown>[]
  [field: string]: unknown
}
type Deployment = { spec: { strategy: object; template: { spec: Pod } } }

t.test('its pods are those of the manifests', async (t) => {
  const chart = withoutActions('deployment.yaml') as unknown as Deployment
  const base = (await manifest('deployment.yaml')) as unknown as Deployment
  t.strictSame(chart.spec.strategy, base.spec.strategy)
  const {
    containers: ours,
    volumes,
    imagePullSecrets,
    topologySpreadConstraints,
    ...pod
  } = chart.spec.template.spec
  const { containers: theirs, topologySpreadConstraints: spread, ...other } = base.spec.template.spec
  t.strictSame(pod, other)
  for (const constraints of [topologySpreadConstraints, spread]) {
    t.match(constraints, [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname' }])
  }
  const { image, args, volumeMounts, envFrom, resources, ...container } = ours[0] ?? {}
  const { image: _, envFrom: __, resources: needed, ...expected } = theirs[0] ?? {}
  t.strictSame(container, expected)
  t.strictSame(values.resources, needed)
})

t.test('its other objects are those of the manifests', async (t) => {
  for (const name of ['service.yaml', 'last-resort.yaml', 'disruption-budget.yaml', 'autoscaler.yaml']) {
    const { spec: ours } = withoutActions(name) as Record<string, Record<string, unknown>>
    const { spec: theirs } = (await manifest(name)) as Record<string, Record<string, unknown>>
    for (const field of ['ports', 'publishNotReadyAddresses', 'maxUnavailable', 'metrics'])
      t.strictSame(ours?.[field], theirs?.[field])
  }
})
