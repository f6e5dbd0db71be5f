// Nobody reads the name of a field, a code, a number of milliseconds or JSON first on a page of the console: titles, headings,
// the first words of rows and labels are words.
import t from 'tap'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../../src/console/rooms.ts'
import { placeOf, withRecords } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { firstWords, isForPrograms } from '../../../support/words-shown.ts'

t.test('no page of the console begins with a code', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'] })
  await withRecords(storage)
  const ada = await operator()
  const paths = [...CONSOLE_PAGES, ...CONSOLE_ACTIONS].map(({ path }) => path)
  for (const path of paths) {
    const { status, text } = await ada.page(placeOf(path))
    if (status !== 200) continue
    t.strictSame(firstWords(text).filter(isForPrograms), [], path)
  }
})
