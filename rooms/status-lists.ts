import type { FastifyPluginAsync } from 'fastify'
import type { OwnRoom } from '../plugins/room.ts'
import type { ListTiming } from '../src/status-lists/worker.ts'

/** Status lists: whether a JWT was ended, for APIs that verify JWTs by themselves. */
export const statusLists = (timing: Partial<ListTiming> = {}): OwnRoom => ({
  name: 'status-lists',
  isOn: ({ status_lists }) => status_lists === 'on',
  async load(ground) {
    const [{ ReservedBits }, { PublishedLists }, { ListWriter }, { LIST_TIMING, ListWorker }, routes] =
      await Promise.all([
        import('../src/status-lists/bits.ts'),
        import('../src/status-lists/published.ts'),
        import('../src/status-lists/writer.ts'),
        import('../src/status-lists/worker.ts'),
        import('../routes/status-list.ts'),
      ])
    const { storage, keys, log } = ground
    const times = { ...LIST_TIMING, ...timing }
    const published = new PublishedLists(ground)
    const plugin: FastifyPluginAsync = async (fastify) => void fastify.register(routes.default, { published })
    return {
      status_bits: new ReservedBits({ store: storage.status_lists, keys }),
      workers: [new ListWorker(new ListWriter(ground, times.written_every), published, log, times)],
      routes: [{ scope: 'clients', plugin }],
    }
  },
})
