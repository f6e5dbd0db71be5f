// The manifests of deploy/kubernetes/ and deploy/kubernetes-apply/, checked against the service, the image and each other.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'
import { readConfig } from '../../../../src/config/config.ts'
import { ENVIRONMENT } from '../../../../src/config/environment.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { CLOSE_WITHIN_MS } from '../../../../timeouts.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { imageEnvironment } from '../../../support/deploy/deployed.ts'
import { readText } from '../../../support/markdown.ts'
import { spyOn } from '../../../support/matrix.ts'
import { startService } from '../../../support/service.ts'

interface Probe {
  httpGet: { path: string; port: string }
  periodSeconds: number
  timeoutSeconds: number
  failureThreshold: number
}
type Labels = Record<string, string>

interface Deployment {
  metadata: { name: string }
  spec: {
    replicas?: number
    selector: { matchLabels: Labels }
    template: {
      spec: {
        enableServiceLinks: boolean
        terminationGracePeriodSeconds: number
        securityContext: { runAsNonRoot: boolean; runAsUser: number; runAsGroup: number }
        containers: [
          {
            image: string
            ports: { name: string; containerPort: number }[]
            envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[]
            startupProbe: Probe
            livenessProbe: Probe
            readinessProbe: Probe
            resources: { requests: { cpu?: string; memory?: string } }
            securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean }
          },
        ]
      }
    }
  }
}

interface Kustomization {
  labels: [{ pairs: Labels; includeTemplates: boolean }]
  resources: string[]
  configMapGenerator: [{ name: string; literals: string[] }]
  images: [{ name: string }]
}

const read = async <T>(file: string) => parse(await readText(`deploy/kubernetes/${file}`)) as T
const kustomization = await read<Kustomization>('kustomization.yaml')
const deployment = await read<Deployment>('deployment.yaml')
const { spec } = deployment.spec.template
const [container] = spec.containers
const { livenessProbe, readinessProbe, startupProbe } = container
const [configMap] = kustomization.configMapGenerator
const literals = Object.fromEntries(configMap.literals.map((literal) => literal.split(/=(.*)/s)))

t.test('every manifest is part of the base', async (t) => {
  const files = (await readdir('deploy/kubernetes')).filter((file) => file !== 'kustomization.yaml')
  t.same(kustomization.resources.toSorted(), files.sort())
  t.equal(kustomization.images[0].name, container.image)
})

t.test('the configuration is valid and contains no secrets', async (t) => {
  t.same(
    container.envFrom.map(({ configMapRef, secretRef }) => [configMapRef?.name, secretRef?.name]),
    [
      [configMap.name, undefined],
      [undefined, 'redmint'],
    ],
  )
  const known = Object.keys(ENVIRONMENT.properties)
  for (const name of Object.keys(literals)) t.ok(known.includes(name), name)
  for (const name of ['REDIS_URL', 'KEY_ENCRYPTION_KEY']) t.notOk(name in literals)
  const secret = { REDIS_URL: 'redis://redis' }
  t.equal(
    readConfig({ ...(await imageEnvironment()), ...literals, ...secret }).settings.issuer,
    literals.ISSUER,
  )
  t.equal(spec.enableServiceLinks, false, 'no variables of Services')
})

t.test('probes: an outage of Redis makes a pod not ready and does not restart it', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { get } = await startService(t, { storage: spy.storage })
  const statuses = async () => {
    const probes = [startupProbe, livenessProbe, readinessProbe]
    return Promise.all(probes.map(async ({ httpGet }) => (await get(httpGet.path)).status))
  }
  t.same(await statuses(), [200, 200, 200])
  spy.fault = new StorageUnavailable('away')
  t.same(await statuses(), [200, 200, 503])
})

t.test('ports: clients reach the port of the image, the monitoring that of the management', async (t) => {
  const [http, management, ...more] = container.ports
  t.equal(String(http?.containerPort), (await imageEnvironment()).PORT)
  t.equal(management?.containerPort, readConfig(literals).management_port)
  t.same(more, [])
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) t.equal(httpGet.port, http?.name)
  const service = await read<{ spec: { ports: { targetPort: string }[] } }>('service.yaml')
  t.same(
    service.spec.ports.map(({ targetPort }) => targetPort),
    [http?.name],
  )
  const last = await read<{ spec: { ports: object[]; publishNotReadyAddresses: boolean } }>(
    'last-resort.yaml',
  )
  t.same([last.spec.ports, last.spec.publishNotReadyAddresses], [service.spec.ports, true])
  const policy = await read<{ spec: { ingress: { from: object[]; ports: { port: string }[] }[] } }>(
    'network-policy.yaml',
  )
  t.same(
    policy.spec.ingress.map(({ from, ports }) => [from.length, ports.map(({ port }) => port)]),
    [
      [1, [http?.name]],
      [1, [management?.name]],
    ],
  )
  t.match(policy.spec.ingress[1], {
    from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
  })
})

t.test('the drain outlasts the readiness check, and the grace period the drain', async (t) => {
  const { shutdown_delay } = readConfig(literals)
  const { periodSeconds, timeoutSeconds, failureThreshold } = readinessProbe
  t.ok(shutdown_delay > failureThreshold * (periodSeconds + timeoutSeconds), 'not ready is noticed')
  t.ok(spec.terminationGracePeriodSeconds > shutdown_delay + CLOSE_WITHIN_MS / 1000)
})

t.test("pods run as the image's user, not as root, with a read-only file system", async (t) => {
  const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(await readText('Dockerfile')) ?? []
  t.match(spec.securityContext, { runAsNonRoot: true, runAsUser: Number(uid), runAsGroup: Number(gid) })
  t.not(Number(uid), 0)
  t.match(container.securityContext, { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
})

t.test('every selector matches the pods of the deployment', async (t) => {
  const labels = deployment.spec.selector.matchLabels
  t.same(kustomization.labels[0], { pairs: labels, includeTemplates: true })
  for (const file of ['service.yaml', 'last-resort.yaml'])
    t.same((await read<{ spec: { selector: Labels } }>(file)).spec.selector, labels)
  const budget = await read<{ spec: { selector: object } }>('disruption-budget.yaml')
  t.same(budget.spec.selector, { matchLabels: labels })
  const policy = await read<{ spec: { podSelector: object } }>('network-policy.yaml')
  t.same(policy.spec.podSelector, { matchLabels: labels })
})

t.test('the autoscaler measures requested resources and alone sets the replicas', async (t) => {
  const { spec: scaler } = await read<{
    spec: {
      scaleTargetRef: { kind: string; name: string }
      minReplicas: number
      maxReplicas: number
      metrics: { resource: { name: 'cpu' | 'memory' } }[]
    }
  }>('autoscaler.yaml')
  t.match(scaler.scaleTargetRef, { kind: 'Deployment', name: deployment.metadata.name })
  t.ok(scaler.minReplicas >= 3 && scaler.maxReplicas > scaler.minReplicas)
  t.notOk('replicas' in deployment.spec)
  for (const { resource } of scaler.metrics) t.ok(container.resources.requests[resource.name], resource.name)
})

interface Job {
  spec: {
    template: {
      metadata: { labels: Labels }
      spec: {
        restartPolicy: string
        enableServiceLinks: boolean
        securityContext: object
        containers: [
          {
            image: string
            command: string[]
            envFrom: object[]
            env: { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[]
            volumeMounts: [{ name: string; mountPath: string }]
            securityContext: object
          },
        ]
        volumes: [{ name: string; configMap: { name: string } }]
      }
    }
  }
}

const APPLY = 'deploy/kubernetes-apply'
const job = parse(await readText(`${APPLY}/job.yaml`)) as Job

t.test('the job runs as the replicas do, and the Service does not send it requests', async (t) => {
  const { template } = job.spec
  const [apply] = template.spec.containers
  t.match(template.spec, { restartPolicy: 'Never', enableServiceLinks: false })
  t.same(template.spec.securityContext, spec.securityContext)
  t.same(apply.securityContext, container.securityContext)
  t.same(apply.envFrom, container.envFrom, 'the same configuration')
  const labels = deployment.spec.selector.matchLabels
  for (const [name, value] of Object.entries(labels)) t.not(template.metadata.labels[name], value)
  const base = parse(await readText(`${APPLY}/kustomization.yaml`)) as Kustomization
  t.same(base.images, kustomization.images)
  t.equal(apply.image, base.images[0].name)
})

t.test('the file of the job can be applied by its command, with the secrets it names', async (t) => {
  const { volumes, containers } = job.spec.template.spec
  const [{ command, env, volumeMounts }] = containers
  const base = parse(await readText(`${APPLY}/kustomization.yaml`)) as {
    resources: string[]
    configMapGenerator: [{ name: string; files: [string] }]
  }
  const [generated] = base.configMapGenerator
  t.same(base.resources, ['job.yaml'])
  t.equal(volumes[0].configMap.name, generated.name)
  t.equal(volumeMounts[0].name, volumes[0].name)
  const [name, ...args] = command
  t.equal(name, 'redmint')
  const mounted = `${volumeMounts[0].mountPath}/${generated.files[0]}`
  t.ok(args.includes(mounted))
  for (const { name, valueFrom } of env)
    t.same(valueFrom.secretKeyRef, { name: 'redmint-clients', key: name })
  const secrets = Object.fromEntries(env.map(({ name }) => [name, 'a'.repeat(32)]))
  const environment = { ...(await imageEnvironment()), ...literals, REDIS_URL: 'redis://redis', ...secrets }
  const { redmint } = createCli({ environment })
  const local = args.map((arg) => (arg === mounted ? `${APPLY}/${generated.files[0]}` : arg))
  const first = await redmint([...local, '--json'])
  t.match(first, { code: 0 })
  t.equal(parsed(first).created, env.length, 'every secret is used')
  t.match(parsed(await redmint([...local, '--json'])), { unchanged: env.length })
})
