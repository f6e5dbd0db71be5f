// The records that redmint itself makes have their entries of the audit trail, once each.
import t from 'tap'
import { registerCommandClient } from '../../../../src/admin/command-client.ts'
import { readConfig } from '../../../../src/config/config.ts'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { registerDemo } from '../../../../src/demo/demo-records.ts'
import { entriesIn, recorderOn, reportTo } from '../../../support/audited.ts'

t.test('the client of the command and the records of demo mode have one entry each', async (t) => {
  const { storage, recorder } = recorderOn()
  const events: SecurityEvent[] = []
  const report = reportTo(events, recorder)
  const { settings } = readConfig({ DEMO: 'true' })
  for (let i = 0; i < 2; i++) {
    await registerCommandClient({ storage, report })
    await registerDemo({ storage, settings, log: SILENT, report })
  }
  await recorder.close()
  const made = (await entriesIn(storage)).map(({ event, targets }) => `${event} ${targets.at(-1)?.id}`)
  t.equal(new Set(made).size, made.length, 'once each')
  t.equal(made.length, events.length)
  t.ok(made.includes('client_added redmint-command'))
  t.ok(made.some((one) => one.startsWith('user_added')))
  t.ok(made.filter((one) => one.startsWith('client_added')).length >= 5)
})
