// What the pages of the console weigh with as many people and applications as a company has.

import { gzipSync } from 'node:zlib'
import t from 'tap'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../../src/console/rooms.ts'
import { USER } from '../../../../src/users/user-kind.ts'
import { MANY, storeCrowd } from '../../../support/scene/crowd.ts'
import { placeOf, withRecords } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'

/** Bytes of a page as a proxy sends it. */
const MOST_BYTES = 40_000
// Nothing is sent.
const SMTP = { smtp_url: 'smtps://mail.example.com', mail_from: 'login@example.com' }

t.test('no page or action of the console is heavier than 40 kB compressed', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'], sign_in: 'providers', ...SMTP })
  await withRecords(storage)
  await storeCrowd(storage)
  const ada = await operator()
  for (const { path } of [...CONSOLE_PAGES, ...CONSOLE_ACTIONS]) {
    const { status, text } = await ada.page(placeOf(path))
    const bytes = gzipSync(text).length
    t.equal(status, 200, path)
    t.ok(bytes <= MOST_BYTES, `${path}: ${bytes} bytes`)
  }
  const { items } = await storage.records.page(USER, { limit: 2 * MANY.people })
  t.equal(items.length, MANY.people)
})
