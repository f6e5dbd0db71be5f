// The chart of deploy/helm/, linted and rendered by real helm, and compared with what real kubectl makes of the manifests
// of deploy/; no cluster runs.
import { execFileSync, spawnSync } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { imageEnvironment } from '../support/deploy/deployed.ts'
import { HERE } from './connected.ts'

interface Manifest {
  kind: string
  metadata: {
    name: string
    namespace?: string
    labels: Record<string, string>
    annotations?: Record<string, string>
  }
  data: Record<string, string>
  spec: Record<string, never>
}

const CHART = 'deploy/helm/redmint'
const EXAMPLE = 'deploy/helm/example.yaml'
const ENVIRONMENT = {
  PATH: `${join(HERE, 'node_modules/.go')}:${process.env.PATH}`,
  HOME: process.env.HOME ?? '',
}

const helm = (...args: string[]) => spawnSync('helm', args, { env: ENVIRONMENT, encoding: 'utf8' })

function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest)
}

/** Renders a chart with the example's values and others. @throws what helm says */
const render = (values: readonly string[] = [], chart = CHART) => manifestsIn(rendered(values, chart))

function rendered(values: readonly string[] = [], chart = CHART): string {
  const set = values.flatMap((value) => ['--set', value])
  // Built by go install, helm takes a cluster of another version for granted.
  const cluster = ['--namespace', 'auth', '--kube-version', '1.31.0']
  const { status, stdout, stderr } = helm(
    'template',
    'redmint',
    chart,
    '--values',
    EXAMPLE,
    ...cluster,
    ...set,
  )
  if (status !== 0) throw new Error(stderr)
  return stdout
}

const kindOf = (manifests: readonly Manifest[], kind: string, name?: string) => {
  const [found, ...others] = manifests.filter(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  )
  if (found === undefined || others.length > 0) throw new Error(`there is not one ${kind}`)
  return found
}

const kustomized = () =>
  execFileSync('kubectl', ['kustomize', 'deploy/kubernetes-example'], { env: ENVIRONMENT, encoding: 'utf8' })

/** A manifest without what the two tools add: labels of theirs, and a hash in the name of a ConfigMap. */
function comparable({ spec, data }: Manifest): unknown {
  const text = JSON.stringify(spec ?? data)
    .replaceAll(/,?"(app\.kubernetes\.io\/(instance|version|managed-by)|checksum\/config)":"[^"]*"/g, '')
    .replaceAll(/"redmint-[a-z0-9]{10}"/g, '"redmint"')
    .replaceAll(/,?"annotations":\{\}/g, '')
  return JSON.parse(text)
}

t.test('helm has nothing to say about the chart', async (t) => {
  const { status, stdout } = helm('lint', '--strict', CHART, '--values', EXAMPLE)
  t.equal(status, 0)
  t.notMatch(stdout, /WARNING|ERROR/)
})

t.test('the chart and the manifests say the same', async (t) => {
  const ours = render(['ingress.enabled=false'])
  const theirs = manifestsIn(kustomized())
  const kinds = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind).sort()
  t.strictSame(kinds(ours), kinds(theirs))
  for (const { kind, metadata } of theirs) {
    const named = kind === 'ConfigMap' ? undefined : metadata.name
    t.strictSame(comparable(kindOf(ours, kind, named)), comparable(kindOf(theirs, kind, named)), kind)
  }
  t.strictSame(kindOf(ours, 'Deployment').metadata.name, kindOf(theirs, 'Deployment').metadata.name)
})

t.test('a server starts with the variables of the chart', async (t) => {
  const { data } = kindOf(render(['redis.url=rediss://redis.example.com:6379/2']), 'ConfigMap')
  const { settings, redis, management_port } = readConfig({ ...(await imageEnvironment()), ...data })
  t.equal(settings.issuer, 'https://auth.example.com')
  t.match(redis, { kind: 'single', url: 'rediss://redis.example.com:6379/2' })
  t.equal(management_port, 3001)
})

t.test('values that are unsafe or unknown are refused', async (t) => {
  for (const [value, why] of [
    ['env.KEY_ENCRYPTION_KEY=x', /propertyName/],
    ['env.ISSUER=https://other.example.com', /propertyName/],
    ['env.CODE_TTL=60', /want string/],
    ['redis.url=redis://:password@redis.example.com', /redis\/url/],
    ['issuer=http://auth.example.com', /issuer/],
    ['issuer=https://auth.example.com/', /issuer/],
    ['secret.name=', /secret/],
    ['secret.volume.csi.driver=secrets-store.csi.k8s.io', /secret/],
    ['replica=4', /additional properties 'replica'/],
    ['replicas.max=2', /replicas.max is less than replicas.min/],
    ['issuer=https://example.com/auth', /issuer without a path/],
  ] as const) {
    t.throws(() => render([value]), { message: why }, value)
  }
})

const podOf = (manifests: readonly Manifest[]) => {
  const { template } = kindOf(manifests, 'Deployment').spec as unknown as {
    template: { spec: { containers: [Record<string, unknown>]; volumes?: object[] } }
  }
  return { ...template.spec, container: template.spec.containers[0] }
}

/** What Kubernetes reads strictly of manifests: "Kind name" for each. @throws what it does not know */
function readByKubernetes(text: string): string[] {
  const read = spawnSync(join(HERE, 'node_modules/.go/manifests'), { input: text, encoding: 'utf8' })
  if (read.status !== 0) throw new Error(read.stderr)
  return read.stdout.trim().split('\n').sort()
}

const OBJECTS = [
  'Deployment redmint',
  'HorizontalPodAutoscaler redmint',
  'NetworkPolicy redmint',
  'PodDisruptionBudget redmint',
  'Service redmint',
  'Service redmint-last-resort',
]

t.test('Kubernetes knows every field of both, and takes no unknown one', async (t) => {
  const ours = rendered(['serviceMonitor.enabled=true'])
  const more = ['ConfigMap redmint', 'Ingress redmint', 'Service redmint-management', 'of an operator']
  t.strictSame(readByKubernetes(ours), [...OBJECTS, ...more].sort())
  const theirs = readByKubernetes(kustomized()).map((one) => one.replace(/(ConfigMap redmint)-.*/, '$1'))
  t.strictSame(theirs, [...OBJECTS, 'ConfigMap redmint'].sort())
  for (const [from, to] of [
    ['periodSeconds', 'periodSecond'],
    ['port: 80', 'port: eighty'],
    ['publishNotReadyAddresses', 'publishNotReadyAddress'],
  ] as const)
    t.throws(() => readByKubernetes(ours.replace(from, to)), to)
})

t.test('the door of operators is there, and not for the world', async (t) => {
  for (const manifests of [render(['serviceMonitor.enabled=true']), manifestsIn(kustomized())]) {
    const { data } = kindOf(manifests, 'ConfigMap')
    const secret = { KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'), REDIS_URL: 'redis://redis' }
    const mail = { SMTP_URL: 'smtps://user:password@smtp.example.com:465' }
    const { settings, management_port } = readConfig({
      ...(await imageEnvironment()),
      ...data,
      ...secret,
      ...mail,
    })
    t.match(settings, { admin_api: 'on', console: 'on', console_origin: 'http://localhost:9000' })
    t.match(data, { TOKENS_AT_REST: 'hashed' })
    t.equal(settings.mail_from, 'login@example.com')
    const { container } = podOf(manifests)
    const ports = container.ports as { name: string; containerPort: number }[]
    t.equal(ports.find(({ name }) => name === 'management')?.containerPort, management_port)
    // What the world reaches: Services with an address of their own, and the Ingress.
    const open = manifests.filter(
      ({ kind, spec }) => kind === 'Service' && (spec as { clusterIP?: string }).clusterIP !== 'None',
    )
    for (const { spec } of open) t.match(spec, { ports: [{ port: 80, targetPort: 'http' }], type: undefined })
    t.strictSame(open.map(({ metadata }) => metadata.name).sort(), ['redmint', 'redmint-last-resort'])
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      t.match(container[probe], { httpGet: { port: 'http', path: /^\/actuator\/health\/(live|readi)ness$/ } })
  }
})

t.test('secrets may come as a file of a volume', async (t) => {
  const { container, volumes } = podOf(
    render(['secret.name=', 'secret.volume.csi.driver=secrets-store.csi.k8s.io', 'secret.file=auth.env']),
  )
  t.strictSame(container.args, ['node', '--env-file=/run/secrets/redmint/auth.env', 'dist/server.js'])
  t.strictSame(volumes, [{ name: 'secrets', csi: { driver: 'secrets-store.csi.k8s.io' } }])
  t.match(container.volumeMounts, [{ name: 'secrets', mountPath: '/run/secrets/redmint', readOnly: true }])
  t.match(container.envFrom, [{ configMapRef: { name: 'redmint' } }])
  t.equal((container.envFrom as object[]).length, 1)
})

t.test('as many replicas as are wanted, with an autoscaler or without', async (t) => {
  const fixed = render(['replicas.min=2', 'replicas.max=2'])
  t.match(kindOf(fixed, 'Deployment').spec, { replicas: 2 })
  t.notOk(fixed.some(({ kind }) => kind === 'HorizontalPodAutoscaler'))
  const scaled = render(['replicas.min=2', 'replicas.max=4'])
  t.notOk('replicas' in kindOf(scaled, 'Deployment').spec)
  t.match(kindOf(scaled, 'HorizontalPodAutoscaler').spec, { minReplicas: 2, maxReplicas: 4 })
})

t.test('the Prometheus operator finds the management port of each pod, as the job redmint', async (t) => {
  t.notOk(
    render().some(({ kind }) => kind === 'ServiceMonitor'),
    'off by default',
  )
  const found = render(['serviceMonitor.enabled=true', 'serviceMonitor.labels.release=prometheus'])
  const monitor = kindOf(found, 'ServiceMonitor')
  t.equal(monitor.metadata.labels.release, 'prometheus')
  const { selector, jobLabel, endpoints } = monitor.spec as unknown as {
    selector: { matchLabels: Record<string, string> }
    jobLabel: string
    endpoints: [{ port: string; path: string }]
  }
  const matching = found.filter(
    ({ kind, metadata }) =>
      kind === 'Service' &&
      Object.entries(selector.matchLabels).every(([name, value]) => metadata.labels[name] === value),
  )
  t.equal(matching.length, 1)
  t.equal(matching[0]?.metadata.labels[jobLabel], 'redmint')
  const { ports } = (matching[0]?.spec ?? {}) as { ports?: { name: string; targetPort: string }[] }
  t.strictSame(
    ports?.map(({ name, targetPort }) => [name, targetPort]),
    [[endpoints[0].port, 'management']],
  )
  t.equal(endpoints[0].path, '/actuator/prometheus')
})

t.test('the Ingress is for the host of the issuer', async (t) => {
  const { spec, metadata } = kindOf(render(), 'Ingress')
  const [annotation] = Object.entries(metadata.annotations ?? {})
  t.strictSame(annotation, ['nginx.ingress.kubernetes.io/default-backend', 'redmint-last-resort'])
  const own = render(['ingress.annotations.nginx\\.ingress\\.kubernetes\\.io/default-backend=other'])
  t.match(kindOf(own, 'Ingress').metadata.annotations, { [annotation?.[0] ?? '']: 'other' })
  t.match(spec, {
    ingressClassName: 'nginx',
    tls: [{ hosts: ['auth.example.com'], secretName: 'auth-example-com' }],
    rules: [{ host: 'auth.example.com' }],
  })
})

t.test('two releases do not take the pods of each other', async (t) => {
  const { spec } = kindOf(render(), 'Service', 'redmint') as { spec: { selector?: object } }
  t.match(spec.selector, { 'app.kubernetes.io/instance': 'redmint' })
})

/** What helm prints after an installation: it renders the notes of a chart for a cluster only. */
async function notesWith(t: Test, values: readonly string[] = []) {
  const chart = join(t.testdir(), 'redmint')
  await cp(CHART, chart, { recursive: true })
  const text = await readFile(join(chart, 'templates/NOTES.txt'), 'utf8')
  await rm(join(chart, 'templates/NOTES.txt'))
  const rendered = `{{ define "notes" }}${text}{{ end }}kind: Notes\ntext: {{ include "notes" . | toJson }}\n`
  await writeFile(join(chart, 'templates/notes.yaml'), rendered)
  return (kindOf(render(values, chart), 'Notes') as unknown as { text: string }).text
}

t.test('the notes say how to go on', async (t) => {
  const notes = await notesWith(t)
  t.match(notes, /^redmint answers at https:\/\/auth\.example\.com when/)
  t.match(notes, 'kubectl --namespace auth exec deployment/redmint -- redmint doctor\n')
  t.notMatch(notes, 'TRUSTED_PROXIES')
  const volume = ['secret.name=', 'secret.volume.csi.driver=x', 'ingress.enabled=false']
  const other = await notesWith(t, volume)
  t.match(other, '-- node --env-file=/run/secrets/redmint/redmint.env dist/cli.js doctor\n')
  t.match(other, 'the Service redmint, port 80')
  t.notOk(parse(await readFile(EXAMPLE, 'utf8')).serviceMonitor)
})
