import fp from 'fastify-plugin'
import {
  type AddedParts,
  type Context,
  type ContextOptions,
  createContext,
  type ReplaceableParts,
  startContext,
} from '../src/context.ts'
import { loadLanguages } from '../src/languages/load-languages.ts'

declare module 'fastify' {
  interface FastifyInstance {
    redmint: Context
  }
}

/** Decorates the instance with the context, starts it, and closes it with the instance. */
export default fp<ContextOptions & ReplaceableParts & AddedParts>(
  async (fastify, options) => {
    const setting = options.reads_environment ? 'LANGUAGES_DIR' : 'languages_dir'
    const languages = await loadLanguages(options.settings.languages_dir, setting)
    const context = createContext({ ...options, languages }, fastify.log)
    fastify.decorate('redmint', context)
    fastify.addHook('onClose', async () => {
      context.keys.close()
      context.sealer.close()
      await Promise.all([
        context.running_server.close(),
        context.secret_uses.close(),
        context.index_keeper.close(),
      ])
      if (options.storage === undefined) await context.storage.close()
    })
    await startContext(context)
  },
  { name: 'redmint-context' },
)
