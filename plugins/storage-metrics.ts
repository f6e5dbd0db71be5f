import { Gauge, type Registry } from 'prom-client'
import { hasMail } from '../src/config/mail-settings.ts'
import type { Context } from '../src/context.ts'
import { LOCKING_COUNTERS, type LockingCounter, readLockouts } from '../src/limits/lockouts.ts'
import { countEndings } from '../src/logout/endings-queue.ts'
import { countMails } from '../src/mail/mail-queue.ts'
import { countAsks } from '../src/mail/mail-requests.ts'
import { type ReadinessCheck, readinessChecks } from '../src/service/health.ts'
import { countLogouts } from '../src/sessions/logout-queue.ts'

const UNKNOWN = 'NaN if storage does not answer'

/** Registers the metrics for which storage is asked when they are collected. Labels are from closed sets. */
export function registerStorageMetrics(registry: Registry, context: Context): void {
  const { storage } = context
  const registers = [registry]

  const queues: [string, string, typeof countLogouts][] = [
    ['redmint_logout_queue_length', 'Logout notices that wait', countLogouts],
    ['redmint_ending_queue_length', 'Endings by operators that wait or are being done', countEndings],
  ]
  if (hasMail(context.settings)) {
    queues.push(['redmint_mail_queue_length', 'Mails that wait', countMails])
    queues.push([
      'redmint_mail_request_queue_length',
      'Mails that were asked for and are not made yet',
      countAsks,
    ])
  }
  for (const [name, help, count] of queues) {
    new Gauge({
      name,
      help: `${help}; ${UNKNOWN}`,
      registers,
      async collect() {
        this.set(await count(storage).catch(() => Number.NaN))
      },
    })
  }

  new Gauge({
    name: 'redmint_ready',
    help: 'Whether each check of readiness holds',
    labelNames: ['check'],
    registers,
    async collect() {
      const failed: Record<ReadinessCheck, boolean> = { storage: false, keys: false }
      const checks = await readinessChecks(context).catch(() => failed)
      for (const [check, holds] of Object.entries(checks)) this.set({ check }, Number(holds))
    },
  })

  new Gauge({
    name: 'redmint_lockouts',
    help: `Lockouts that are listed; ${UNKNOWN}`,
    labelNames: ['counter'],
    registers,
    async collect() {
      const listed = await readLockouts(storage).catch(() => undefined)
      for (const counter of Object.keys(LOCKING_COUNTERS) as LockingCounter[]) {
        this.set({ counter }, listed?.filter((lockout) => lockout.counter === counter).length ?? Number.NaN)
      }
    },
  })

  if (storage.memory === undefined) return
  const read = storage.memory
  new Gauge({
    name: 'redmint_redis_memory_bytes',
    help: `Memory of the fullest Redis: what it uses, and what it may use, where 0 is no limit; ${UNKNOWN}`,
    labelNames: ['part'],
    registers,
    async collect() {
      const { used, max } = await read().catch(() => ({ used: Number.NaN, max: Number.NaN }))
      this.set({ part: 'used' }, used)
      this.set({ part: 'max' }, max)
    },
  })
}
