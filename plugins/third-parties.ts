import fp from 'fastify-plugin'
import { OutcomeKeeper } from '../src/service/outcome-keeper.ts'

/** What tests replace. */
export interface OutcomeOptions {
  /** How often outcomes are written, in milliseconds. */
  readonly every?: number
}

/** Keeps for all replicas what last went wrong at third parties, as requests and workers noted it. */
export default fp<OutcomeOptions>(
  async (fastify, { every }) => {
    const keeper = new OutcomeKeeper(fastify.redmint, every)
    fastify.addHook('onReady', async () => keeper.start())
    fastify.addHook('onClose', () => keeper.close())
  },
  { name: 'redmint-third-parties', dependencies: ['redmint-context'] },
)
