import t from 'tap'
import { nodeProblem } from '../../../../src/core/node-floor.ts'

t.test('a version of Node without the last fixes is named, with those that have them', async (t) => {
  const advice = 'Run 22.23.4, 24.22.1, 26.12.1 or later.'
  for (const version of ['20.20.2', '18.0.0', '21.9.9', '23.11.0', '25.1.0'])
    t.strictSame(nodeProblem(version), { finding: `Node ${version} gets no fixes any more`, advice })
  for (const version of ['22.23.3', '22.9.9', '24.22.0', '26.0.0', '26.12.0-nightly'])
    t.strictSame(nodeProblem(version), { finding: `Node ${version} lacks fixes`, advice })
  for (const version of ['22.23.4', '22.24.0', '24.22.1', '24.100.0', '26.12.1', '27.0.0', '28.1.2-rc.1'])
    t.equal(nodeProblem(version), undefined, version)
})
