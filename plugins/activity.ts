import fp from 'fastify-plugin'
import type { Origin } from '../src/core/audit-entries.ts'
import type { SecurityEvent } from '../src/core/events.ts'
import { ActivityWriter } from '../src/self-service/activity.ts'

/** Keeps what happened lately to each user, for the account page. */
export default fp(
  async (fastify) => {
    const { redmint } = fastify
    const writer = new ActivityWriter(redmint)
    const note = (event: SecurityEvent, origin: () => Origin) => writer.note(event, origin())
    redmint.reported.on('event', note)
    fastify.addHook('onReady', async () => writer.start())
    fastify.addHook('onClose', async () => {
      redmint.reported.off('event', note)
      await writer.close()
    })
  },
  { name: 'redmint-activity', dependencies: ['redmint-context'] },
)
