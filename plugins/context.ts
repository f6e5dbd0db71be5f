import fp from 'fastify-plugin'
import { type Context, startContext } from '../src/context.ts'

declare module 'fastify' {
  interface FastifyInstance {
    redmint: Context
  }
}

interface Options {
  readonly context: Context
  /** Whether storage is closed with the instance. */
  readonly owns_storage: boolean
}

/** Decorates the instance with the context, starts it, and closes it with the instance. */
export default fp<Options>(
  async (fastify, { context, owns_storage }) => {
    fastify.decorate('redmint', context)
    fastify.addHook('onClose', async () => {
      context.keys.close()
      context.sealer.close()
      await Promise.all([
        context.running_server.close(),
        context.secret_uses.close(),
        context.index_keeper.close(),
      ])
      if (owns_storage) await context.storage.close()
    })
    await startContext(context)
  },
  { name: 'redmint-context' },
)
