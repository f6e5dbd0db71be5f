// The image that deploy/ asks for is the one that the workflow of a release pushes, in this version.
import t from 'tap'
import { parse } from 'yaml'
import { VERSION } from '../../../../src/core/version.ts'
import { dockerContext, readDockerfile } from '../../../support/deploy/dockerfile.ts'
import { readText } from '../../../support/markdown.ts'

const { repository } = JSON.parse(await readText('package.json'))
const [, name = ''] = /github\.com\/(.+)\.git$/.exec(repository.url) ?? []
const IMAGE = `ghcr.io/${name}`
const read = async (path: string) => parse(await readText(path), { merge: true })

t.test('the workflow pushes it by this name, without the v of the tag', async (t) => {
  const workflow = await readText('.github/workflows/release.yaml')
  const { env, jobs } = parse(workflow)
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
  t.equal(env.IMAGE.replace('${{ github.repository }}', name), IMAGE)
  const building = jobs.image.steps.find(({ id }: { id?: string }) => id === 'build')
  t.match(building.with.tags, /^\$\{\{ env\.IMAGE \}\}:\$\{\{ steps\.base\.outputs\.version \}\}$/)
  t.match(workflow, /echo "version=\$\{TAG#v\}"/)

  const stages = await readDockerfile()
  const dev = jobs.image.steps.find(({ id }: { id?: string }) => id === 'dev')
  t.ok(
    stages.some(({ name }) => name === dev.with.target),
    'the image for tests is a stage',
  )
  t.match(dev.with.tags, /^\$\{\{ env\.IMAGE \}\}-dev:/)
  t.equal(stages.at(-1)?.name, undefined, 'the image without a target is the one for production')
})

t.test('compose, Kubernetes and the chart take it in this version', async (t) => {
  const { services } = await read('deploy/compose.yaml')
  const replicas = Object.entries<{ image: string }>(services).filter(([name]) => name.startsWith('redmint'))
  t.ok(replicas.length > 1)
  for (const [replica, { image }] of replicas) t.equal(image, `${IMAGE}:${VERSION}`, replica)

  for (const [folder, file] of [
    ['kubernetes', 'deployment.yaml'],
    ['kubernetes-apply', 'job.yaml'],
  ]) {
    const { spec } = (await read(`deploy/${folder}/${file}`)).spec.template
    t.equal(spec.containers[0].image, IMAGE)
    t.strictSame((await read(`deploy/${folder}/kustomization.yaml`)).images, [
      { name: IMAGE, newTag: VERSION },
    ])
  }

  const { image } = await read('deploy/helm/redmint/values.yaml')
  t.match(image, { repository: IMAGE, tag: '' }, 'the tag is the version of the chart')
})

t.test('the image has the package without its texts, what it depends on, and nothing else', async (t) => {
  const ignored = (await readText('.dockerignore')).split('\n').filter((line) => !/^(?:#|$)/.test(line))
  t.equal(ignored[0], '*', 'the engine gets nothing that is not named')
  for (const name of await dockerContext())
    t.notMatch(
      name,
      /^(?:\.|test|docs|bench|examples|deploy|node_modules|dist|scripts$)/,
      `${name} is a source`,
    )

  const stages = await readDockerfile()
  const image = stages.at(-1)
  t.strictSame(
    image?.instructions.flatMap(({ name, rest }) => (name === 'COPY' || name === 'ADD' ? [rest] : [])),
    [
      'package.json LICENSE ./',
      'bin ./bin',
      '--from=dependencies /app/node_modules ./node_modules',
      '--from=build /app/dist ./dist',
    ],
  )
  t.ok(image?.instructions.some(({ name, rest }) => name === 'USER' && rest === '1000:1000'))
  const installed = stages.find(({ name }) => name === 'dependencies')?.instructions
  t.match(installed?.at(-1), { name: 'RUN', rest: 'npm ci --omit=dev --ignore-scripts' })
  for (const { name, rest } of stages.flatMap(({ instructions }) => instructions))
    t.notMatch(`${name} ${rest}`, /^ARG|SECRET|TOKEN|PASSWORD/, 'no layer gets a secret')
})
