// The pages say what the results in the repository say: `npm --prefix bench run report` and `npm --prefix bench run capacity` write them.
import t from 'tap'
import { capacityParts } from '../../../bench/capacity.ts'
import { replaceMarked } from '../../../bench/markers.ts'
import { pictures } from '../../../bench/pictures.ts'
import { ALL, NODES, partsOf } from '../../../bench/report.ts'
import { readResults } from '../../../bench/results.ts'
import { ROWS } from '../../../bench/rows.ts'
import { readScale, scaleParts } from '../../../bench/scale.ts'
import { readText } from '../../support/markdown.ts'

const results = readResults(ALL)

t.test('the results have every row', async (t) => {
  t.same(
    results.rows.map(({ name }) => name),
    ROWS.map(({ name }) => name),
  )
})

t.test('the pages are made of the results', async (t) => {
  const pages = {
    'docs/performance.md': partsOf(results, readResults(NODES)),
    'docs/capacity.md': { ...capacityParts(results), ...scaleParts(readScale()) },
  }
  for (const [path, parts] of Object.entries(pages)) {
    const page = await readText(path)
    for (const [name, text] of Object.entries(parts)) {
      t.ok(replaceMarked(page, name, text) === page, `${path}: ${name}`)
    }
  }
})

t.test('the plots are made of the results', async (t) => {
  for (const [name, svg] of Object.entries(pictures(results))) {
    t.ok((await readText(`docs/images/${name}`)) === svg, name)
  }
})
