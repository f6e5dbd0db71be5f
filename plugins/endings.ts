import fp from 'fastify-plugin'
import { endingWorker } from '../src/logout/ending-worker.ts'

/** Ends sessions and grants in the background while the service runs. */
export default fp(
  async (fastify) => {
    const { endings, logouts } = fastify.redmint
    const worker = endingWorker(fastify.redmint, () => logouts.emit('queued'))
    const wake = () => worker.wake()
    endings.on('queued', wake)
    fastify.addHook('onReady', async () => worker.start())
    fastify.addHook('preClose', async () => {
      endings.off('queued', wake)
      void worker.close()
    })
    fastify.addHook('onClose', () => worker.close())
  },
  { name: 'redmint-endings', dependencies: ['redmint-context'] },
)
