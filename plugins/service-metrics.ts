import { Counter, Gauge, type Registry } from 'prom-client'
import { hasMail } from '../src/config/mail-settings.ts'
import type { Context } from '../src/context.ts'
import { VERSION } from '../src/core/version.ts'
import { registerStorageMetrics } from './storage-metrics.ts'

type Labels = Readonly<Record<string, string>>

/** What a metric counts now: a number for each combination of labels. */
type Read = () => readonly (readonly [labels: Labels, value: number])[]

/**
 * Registers the metrics of a service. What is counted is copied when the metrics are collected, so that a request costs
 * no more than an addition. Labels are from closed sets; docs/events.md explains each metric.
 */
export function registerServiceMetrics(registry: Registry, context: Context): void {
  const { counts, storage, keys, passwords, settings, now } = context
  const counter = (name: string, help: string, labelNames: string[], read: Read) =>
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        for (const [labels, value] of read()) this.inc(labels, value)
      },
    })

  counter('redmint_events_total', 'Security events', ['event'], () => rows('event', counts.events))
  counter('redmint_sign_ins_total', 'Attempts to sign in', ['result'], () => rows('result', counts.sign_ins))
  counter('redmint_tokens_issued_total', 'Access tokens that were issued', ['grant_type', 'format'], () =>
    Object.entries(counts.tokens).flatMap(([grant_type, formats]) =>
      rows('format', formats).map(([labels, value]) => [{ grant_type, ...labels }, value] as const),
    ),
  )
  counter('redmint_refusals_total', 'Requests that were refused', ['endpoint', 'reason'], () =>
    [...counts.refusals].flatMap(([endpoint, reasons]) =>
      [...reasons].map(([reason, value]) => [{ endpoint, reason }, value] as const),
    ),
  )
  if (context.settings.explain_max > 0) {
    const lost = 'Explanations of refusals that could not be kept'
    counter('redmint_explanations_lost_total', lost, [], () => [[{}, counts.explanations_lost]])
  }

  counter(
    'redmint_client_documents_total',
    'Metadata documents of clients that were asked for',
    ['outcome'],
    () => rows('outcome', counts.documents),
  )

  counter('redmint_counters_full_total', 'Failures under a name for which there was no room', ['group'], () =>
    rows('group', counts.counters_full),
  )

  registerStorageMetrics(registry, context)
  if (hasMail(settings)) {
    const help = 'Mails that somebody asked for by a form and that are not made'
    counter('redmint_mails_dropped_total', help, ['why'], () => rows('why', counts.mails_dropped))
  }
  if (context.settings.audit === 'on') {
    counter('redmint_audit_lost_total', 'Entries of the audit trail that are lost', ['sink'], () =>
      rows('sink', counts.audit_lost),
    )
    counter('redmint_audit_webhook_total', 'Messages to AUDIT_WEBHOOK_URL', ['delivery'], () =>
      rows('delivery', counts.audit_posts),
    )
  }

  const { timings = {} } = storage
  const timed = Object.entries(timings)
  counter('redmint_redis_calls_total', 'Calls of Redis', ['intent'], () =>
    timed.map(([intent, { calls }]) => [{ intent }, calls]),
  )
  counter('redmint_redis_seconds_total', 'Seconds until Redis had answered or failed', ['intent'], () =>
    timed.map(([intent, { seconds }]) => [{ intent }, seconds]),
  )

  new Gauge({
    name: 'redmint_password_queue_length',
    help: 'Passwords that wait to be hashed',
    registers: [registry],
    collect() {
      this.set(passwords.waiting)
    },
  })
  new Gauge({
    name: 'redmint_signing_key_age_seconds',
    help: 'Since when a key signs, or is published to sign next',
    labelNames: ['alg', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { alg, status, since } of keys.ages) this.set({ alg, status }, (now() - since) / 1000)
    },
  })
  new Gauge({
    name: 'redmint_signing_key_rotation_seconds',
    help: 'For how long a key signs',
    registers: [registry],
  }).set(settings.key_rotation_days * 86_400)
  new Gauge({
    name: 'redmint_build_info',
    help: 'The version, with the value 1',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: VERSION }, 1)
}

function rows(label: string, tally: Readonly<Record<string, number>>): [labels: Labels, value: number][] {
  return Object.entries(tally).map(([name, value]) => [{ [label]: name }, value])
}
