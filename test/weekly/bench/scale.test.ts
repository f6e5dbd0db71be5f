// The run of a large installation, with a small one.
import t from 'tap'
import { Owner } from '../../../bench/growth-load.ts'
import { measureScale } from '../../../bench/scale/measure.ts'
import { scaleText } from '../../../bench/scale/text.ts'
import { nodeArgs } from '../../support/process.ts'

t.test('each row has a cost, and what was ended is gone', async (t) => {
  const owner = new Owner()
  t.teardown(() => owner.end())
  const said: string[] = []
  const results = await measureScale(owner, {
    sizes: { people: 200, clients: 20, grants: 2000 },
    programs: { server: nodeArgs('server.ts'), command: nodeArgs('cli.ts') },
    say: (text) => said.push(text),
  })
  const { rows, tokens } = results
  // Without those of the tokens beside them, few commands may be none.
  for (const { what, cost } of rows) t.ok(Number.isFinite(cost.cpu) && Number.isFinite(cost.commands), what)
  t.ok((rows.find(({ what }) => what === 'redmint export')?.cost.commands ?? 0) > 0)
  t.ok(rows.some(({ what }) => what === 'a client with 28 grants is removed'))
  t.match(
    rows.find(({ what }) => what === 'the repair of all lists')?.note,
    /^([\d,]+) of \1 keys$/,
    'the repair ended',
  )
  for (const { beside, tokens: asked, failed } of tokens) t.ok(asked > 0 && failed === 0, beside)
  const text = scaleText(results)
  for (const { what } of rows) t.match(text, `| ${what} |`)
  t.equal(said.length, results.filled.length + rows.length)
})
