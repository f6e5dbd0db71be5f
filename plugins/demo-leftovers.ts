import fp from 'fastify-plugin'
import { demoLeftovers } from '../src/demo/demo-records.ts'

/** Logs what demo mode left in storage when the service listens, with the commands that remove it. */
export default fp(
  async (fastify) => {
    const { settings, storage, log } = fastify.redmint
    if (settings.demo) return
    fastify.addHook('onListen', async () => {
      for (const line of await demoLeftovers(storage)) log.warn({}, line)
    })
  },
  { name: 'redmint-demo-leftovers', dependencies: ['redmint-context'] },
)
