import t from 'tap'
import { NODE_FLOORS, nodeNotice, nodeProblem } from '../../../../src/core/node-floor.ts'
import { readText } from '../../../support/markdown.ts'

t.test('a version of Node without the last fixes is named, with those that have them', async (t) => {
  const advice = 'Run 22.23.4, 24.22.1, 26.12.1 or later.'
  for (const version of ['20.20.2', '18.0.0', '21.9.9', '23.11.0', '25.1.0'])
    t.strictSame(nodeProblem(version), { finding: `Node ${version} gets no fixes any more`, advice })
  for (const version of ['22.23.3', '22.9.9', '24.22.0', '26.0.0', '26.12.0-nightly'])
    t.strictSame(nodeProblem(version), { finding: `Node ${version} lacks fixes`, advice })
  for (const version of ['22.23.4', '22.24.0', '24.22.1', '24.100.0', '26.12.1', '27.0.0', '28.1.2-rc.1'])
    t.equal(nodeProblem(version), undefined, version)
})

t.test(
  'the package, the image and the workflows name versions that have the fixes, and the docs the same',
  async (t) => {
    const floors = Object.entries(NODE_FLOORS).map(([major, [minor, patch]]) => `${major}.${minor}.${patch}`)
    const newest = floors.at(-1) ?? ''
    const { engines } = JSON.parse(await readText('package.json'))
    t.strictSame(
      engines.node.split(' || ').slice(1),
      floors.map((floor) => `${floor === newest ? '>=' : '^'}${floor}`),
      'the first is the lowest that runs at all',
    )
    const { packages } = JSON.parse(await readText('package-lock.json'))
    t.strictSame(packages[''].engines, engines)

    const bases = [...(await readText('Dockerfile')).matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base)
    const [image = '', ...stages] = bases
    const [, version = ''] = /^node:(\d+\.\d+\.\d+)-slim(?:@sha256:[0-9a-f]{64})?$/.exec(image) ?? []
    t.ok(version !== '' && nodeProblem(version) === undefined, `${image} is a patch that has the fixes`)
    t.ok(
      stages.length > 1 && stages.every((stage) => ['base', 'build'].includes(stage)),
      'every stage is of the one image',
    )

    const workflow = await readText('.github/workflows/release.yaml')
    for (const [, used = ''] of workflow.matchAll(/^ +node-version: \W*(\S+?)"?$/gm))
      t.equal(nodeProblem(used), undefined, `${used} makes what is published`)

    const line = nodeNotice('20.20.2') ?? ''
    for (const floor of floors) {
      t.match(line, floor)
      for (const page of ['README.md', 'docs/operations.md']) t.match(await readText(page), floor, page)
    }
  },
)
