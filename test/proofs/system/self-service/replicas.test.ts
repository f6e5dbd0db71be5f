// One link at two replicas on one Redis: it counts once, and a Redis that is away uses up nothing.
import t from 'tap'
import { USER } from '../../../../src/users/user-kind.ts'
import { onRedis } from '../../../support/matrix.ts'
import { visitorOf } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { FLOWS } from '../../../support/self-service/flows.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'
import { WITH_MAIL } from '../../../support/with-mail.ts'

const BROWSERS = 8

for (const flow of FLOWS) {
  onRedis(
    t,
    `${flow.name}: many browsers send one link at the same moment`,
    async (t, { storage, server }) => {
      const services = [
        await scene(t, { storage, ...WITH_MAIL, sign_up: 'open' }),
        await scene(t, { storage, ...WITH_MAIL, sign_up: 'open' }),
      ] as const
      const context = services[0].fastify.redmint
      const { pathname, search } = new URL(await flow.give(context, 'alice'))
      const before = await flow.effect(context, 'alice')
      const opened = await Promise.all(
        Array.from({ length: BROWSERS }, async (_, index) => {
          const browser = visitorOf(() => services[index % 2 === 0 ? 0 : 1].fastify)
          return { browser, page: await browser.page(pathname + search) }
        }),
      )
      t.strictSame(new Set(opened.map(({ page }) => page.status)), new Set([200]))

      await server.cli('CLIENT', 'PAUSE', '1500', 'ALL')
      const lost = opened[0]
      if (lost !== undefined) {
        const away = asPage(await lost.browser.submit(lost.page, flow.answer('alice')))
        t.equal(away.status, 503, 'nobody knows')
      }
      const answers = () =>
        storage.probe().then(
          () => true,
          () => false,
        )
      await until('Redis answers again', answers)
      t.equal(await flow.effect(context, 'alice'), before, 'and nothing was changed')

      const statuses = await Promise.all(
        opened.map(async ({ browser, page }, index) => {
          const answer = {
            ...flow.answer('alice'),
            ...(flow.path === '/welcome' && { username: `guest-${index}` }),
          }
          return asPage(await browser.submit(page, answer)).status
        }),
      )
      t.equal(statuses.filter((status) => status === 200).length, 1, statuses.join(' '))
      const guests = await Promise.all(opened.map((_, index) => storage.records.read(USER, `guest-${index}`)))
      t.equal(guests.filter((guest) => guest !== undefined).length, flow.path === '/welcome' ? 1 : 0)
    },
  )
}
