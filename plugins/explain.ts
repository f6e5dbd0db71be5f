import fp from 'fastify-plugin'
import type { RefusedRequest } from '../src/core/refusal.ts'
import { Recorder } from '../src/explain/recorder.ts'

/** What tests replace. */
export interface ExplainOptions {
  /** How many milliseconds refusals wait, to be written together. */
  readonly delay?: number
}

/** Keeps what explains refused requests. */
export default fp<ExplainOptions>(
  async (fastify, { delay }) => {
    const { redmint } = fastify
    const recorder = new Recorder(redmint, delay)
    const take = (refused: RefusedRequest) => recorder.take(refused)
    redmint.refusals.on('refused', take)
    fastify.addHook('onClose', async () => {
      redmint.refusals.off('refused', take)
      await recorder.close()
    })
  },
  { name: 'redmint-explain', dependencies: ['redmint-context'] },
)
