import fp from 'fastify-plugin'
import { AuditKeeper } from '../src/audit/keeper.ts'
import { AuditRecorder } from '../src/audit/recorder.ts'
import type { Context } from '../src/context.ts'
import type { Origin } from '../src/core/audit-entries.ts'
import type { SecurityEvent } from '../src/core/events.ts'

async function loadWebhook({ settings, counts, ...context }: Context) {
  const { audit_webhook_url: url, audit_webhook_secret: secret } = settings
  if (url === undefined || secret === undefined) return undefined
  const { AuditWebhook } = await import('../src/audit/webhook.ts')
  return new AuditWebhook({ ...context, url, secret, ...counts })
}

/** Keeps the audit trail while the service runs. */
export default fp(
  async (fastify) => {
    const { redmint } = fastify
    const { audit, reported, counts } = redmint
    const recorder = new AuditRecorder({ ...redmint, audit_lost: counts.audit_lost })
    const webhook = await loadWebhook(redmint)
    const keeper = new AuditKeeper({ ...redmint, recorder, trimmed: webhook?.trimmed.bind(webhook) })
    audit.entriesOf = (events, about, origin) => recorder.entriesOf(events, about, origin)
    const note = (event: SecurityEvent, origin: () => Origin) => recorder.note(event, origin())
    reported.on('event', note)
    fastify.addHook('onReady', async () => {
      recorder.start()
      keeper.start()
      webhook?.start()
    })
    fastify.addHook('onClose', async () => {
      await Promise.all([keeper.close(), webhook?.close()])
      reported.off('event', note)
      await recorder.close()
    })
  },
  { name: 'redmint-audit', dependencies: ['redmint-context'] },
)
