// Every decision has the alternatives considered, and is in the list.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { readText } from '../../support/markdown.ts'

const FOLDER = 'docs/decisions'

t.test('each decision has its parts and is listed', async (t) => {
  const list = await readText(`${FOLDER}/README.md`)
  const files = (await readdir(FOLDER)).filter((name) => /^\d{4}-/.test(name))
  t.ok(files.length > 10)
  for (const file of files) {
    const text = await readText(`${FOLDER}/${file}`)
    const [, title = ''] = /^# (.+)$/m.exec(text) ?? []
    t.match(text, /^## Alternatives considered\n\n- /m, `${file}: alternatives`)
    t.ok(list.includes(`${Number(file.slice(0, 4))}. [${title}](${file})`), `${file} is in the list`)
  }
  const listed = [...list.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
  t.same(
    listed,
    [...new Set(listed)].toSorted((one, other) => one - other),
    'once each, in order',
  )
})
