import fp from 'fastify-plugin'
import { DayCounter } from '../src/admin/day/day-counter.ts'
import type { HourCounts } from '../src/admin/day/hour-counts.ts'
import { UpkeepKeeper } from '../src/admin/upkeep/upkeep-keeper.ts'
import { type Endpoint, endpointOf } from '../src/core/endpoints.ts'
import { routePrefix } from '../src/core/paths.ts'
import type { Reason } from '../src/core/reasons.ts'
import { NewestSessions } from '../src/sessions/newest-sessions.ts'
import type { NewSession } from '../src/sessions/session.ts'

/** How often the keepers work, in milliseconds; absent: as they do by themselves. */
export interface KeeperOptions {
  readonly every?: number
}

/** Operators ask for these, or nobody waits for them. */
const NOT_TIMED: ReadonlySet<Endpoint> = new Set<Endpoint>(['admin', 'console', 'api', 'other'])

/** Keeps in the background what pages of the console show, so that they need not search for it. */
export default fp<KeeperOptions>(
  async (fastify, { every }) => {
    const { redmint } = fastify
    const prefix = routePrefix(redmint.settings)
    const isTimed = (route: string) => !NOT_TIMED.has(endpointOf(route.slice(prefix.length)))
    const counted = async (): Promise<HourCounts> => {
      const { sign_ins, refusals } = redmint.counts
      const refused: Partial<Record<Reason, number>> = {}
      for (const reasons of refusals.values())
        for (const [reason, count] of reasons) refused[reason] = (refused[reason] ?? 0) + count
      return { sign_ins: { ...sign_ins }, refused, times: await fastify.requestTimes(isTimed) }
    }
    const day = new DayCounter(redmint, counted, every)
    const upkeep = new UpkeepKeeper(redmint, every)
    const newest = new NewestSessions(redmint, every)
    const note = (session: NewSession) => newest.note(session)
    redmint.sessions.on('started', note)
    fastify.addHook('onReady', async () => {
      day.start()
      upkeep.start()
      newest.start()
    })
    fastify.addHook('onClose', async () => {
      redmint.sessions.off('started', note)
      await Promise.all([day.close(), upkeep.close(), newest.close()])
    })
  },
  { name: 'redmint-console-keepers', dependencies: ['redmint-context', 'redmint-metrics'] },
)
