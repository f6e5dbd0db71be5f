import type { OwnRoom } from '../plugins/room.ts'
import type { Ground } from '../src/context.ts'

/** The audit trail. */
export const audit: OwnRoom = {
  name: 'audit',
  isOn: ({ audit }) => audit === 'on',
  async load(ground) {
    const { AuditKeeper } = await import('../src/audit/keeper.ts')
    const { AuditRecorder } = await import('../src/audit/recorder.ts')
    const recorder = new AuditRecorder({ ...ground, audit_lost: ground.counts.audit_lost })
    const webhook = await loadWebhook(ground)
    const keeper = new AuditKeeper({ ...ground, recorder, trimmed: webhook?.trimmed.bind(webhook) })
    return {
      hears: {
        event: (event, origin) => recorder.note(event, origin()),
        entriesOf: (events, about, origin) => recorder.entriesOf(events, about, origin),
      },
      // What the others tell when they close is still written.
      workers: [recorder, keeper, ...(webhook ? [webhook] : [])],
    }
  },
}

async function loadWebhook({ settings, counts, ...ground }: Ground) {
  const { audit_webhook_url: url, audit_webhook_secret: secret } = settings
  if (url === undefined || secret === undefined) return undefined
  const { AuditWebhook } = await import('../src/audit/webhook.ts')
  return new AuditWebhook({ ...ground, url, secret, ...counts })
}
