import type { KeeperOptions, OwnRoom } from '../plugins/room.ts'
import { type Endpoint, endpointOf } from '../src/core/endpoints.ts'
import { routePrefix } from '../src/core/paths.ts'
import type { Reason } from '../src/core/reasons.ts'

/** Operators ask for these, or nobody waits for them. */
const NOT_TIMED: ReadonlySet<Endpoint> = new Set<Endpoint>(['admin', 'console', 'api', 'other'])

/** The console, and what keeps in the background what its pages show, so that they need not search for it. */
export const operatorConsole = ({ every }: KeeperOptions): OwnRoom => ({
  name: 'console',
  isOn: ({ console }) => console === 'on',
  async clients(settings) {
    const { consoleClient } = await import('../src/console/client.ts')
    return [consoleClient(settings)]
  },
  async load(ground) {
    const { DayCounter } = await import('../src/admin/day/day-counter.ts')
    const { RequestTimes } = await import('../src/service/request-times.ts')
    const { UpkeepKeeper } = await import('../src/admin/upkeep/upkeep-keeper.ts')
    const { NewestSessions } = await import('../src/sessions/newest-sessions.ts')
    const { default: pages } = await import('../routes/console.ts')
    const prefix = routePrefix(ground.settings)
    const times = new RequestTimes()
    const counted = async () => {
      const { sign_ins, refusals } = ground.counts
      const refused: Partial<Record<Reason, number>> = {}
      for (const reasons of refusals.values())
        for (const [reason, count] of reasons) refused[reason] = (refused[reason] ?? 0) + count
      return { sign_ins: { ...sign_ins }, refused, times: [...times.counts] }
    }
    const newest = new NewestSessions(ground, every)
    return {
      hears: {
        session: (session) => newest.note(session),
        answered(route, seconds) {
          if (!NOT_TIMED.has(endpointOf(route.slice(prefix.length)))) times.note(seconds)
        },
      },
      workers: [new DayCounter(ground, counted, every), new UpkeepKeeper(ground, every), newest],
      routes: [{ scope: 'operators', plugin: pages }],
    }
  },
})
