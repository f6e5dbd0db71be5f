import fp from 'fastify-plugin'
import type { Context } from '../src/context.ts'
import type { Log } from '../src/core/log.ts'
import type { LoadedRoom } from './room.ts'

/** Lets rooms hear what happens, starts their workers when the service is ready, and closes them with it. */
export default fp<{ readonly rooms: readonly LoadedRoom[] }>(
  async (fastify, { rooms }) => {
    const { redmint } = fastify
    const heard = rooms.map(({ hears = {} }) => listen(redmint, hears))
    for (const { hears } of rooms) {
      if (hears?.answered === undefined) continue
      fastify.addHook('onResponse', ({ routeOptions: { url } }, { elapsedTime }, done) => {
        if (url !== undefined) hears.answered?.(url, elapsedTime / 1000)
        done()
      })
    }
    const workers = rooms.flatMap(({ workers = [] }) => workers)
    const close = async (worker: (typeof workers)[number]) => {
      try {
        await worker.close()
      } catch (error) {
        redmint.log.error({ err: error }, 'Something did not close.')
      }
    }
    fastify.addHook('onReady', async () => {
      for (const worker of workers) worker.start?.()
    })
    fastify.addHook('preClose', async () => {
      for (const worker of workers) if (worker.closes_early) void close(worker)
    })
    fastify.addHook('onClose', async () => {
      // What closes later hears of the rest.
      for (const worker of workers.toReversed()) await close(worker)
      for (const forget of heard.flat()) forget()
    })
  },
  { name: 'redmint-rooms', dependencies: ['redmint-context'] },
)

type Forget = () => void

function listen(context: Context, hears: NonNullable<LoadedRoom['hears']>): Forget[] {
  const { reported, refusals, steps, sessions, endings, logouts, log } = context
  const { event, refused, proven, unproven, session, ending, logout, entriesOf } = hears
  return [
    ...(event ? [on(reported, 'event', guarded(event, log))] : []),
    ...(refused ? [on(refusals, 'refused', refused)] : []),
    ...(proven ? [on(steps, 'proven', proven)] : []),
    ...(unproven ? [on(steps, 'unproven', unproven)] : []),
    ...(session ? [on(sessions, 'started', session)] : []),
    ...(ending ? [on(endings, 'queued', ending)] : []),
    ...(logout ? [on(logouts, 'queued', logout)] : []),
    ...(entriesOf ? [on(reported, 'entries', given(entriesOf))] : []),
  ]
}

type EntriesOf = NonNullable<NonNullable<LoadedRoom['hears']>['entriesOf']>

const given =
  (entriesOf: EntriesOf) =>
  (...[events, about, origin, take]: [...Parameters<EntriesOf>, (entries: ReturnType<EntriesOf>) => void]) =>
    take(entriesOf(events, about, origin))

interface Emitter<Name, Heard extends unknown[]> {
  on(name: Name, listener: (...heard: Heard) => void): unknown
  off(name: Name, listener: (...heard: Heard) => void): unknown
}

/** Returns what ends it. */
function on<Name extends string, Heard extends unknown[]>(
  emitter: Emitter<Name, Heard>,
  name: Name,
  listener: (...heard: Heard) => unknown,
): Forget {
  emitter.on(name, listener)
  return () => void emitter.off(name, listener)
}

/** What goes wrong where an event is heard is not a fault of the request that caused it. */
function guarded<Heard extends unknown[]>(listener: (...heard: Heard) => unknown, log: Log) {
  return async (...heard: Heard) => {
    try {
      await listener(...heard)
    } catch (error) {
      log.error({ err: error }, 'Something that hears events failed.')
    }
  }
}
