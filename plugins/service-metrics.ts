import { Counter, Gauge, type Registry } from 'prom-client'
import { hasMail } from '../src/config/mail-settings.ts'
import type { Context } from '../src/context.ts'
import { countEndings } from '../src/logout/endings.ts'
import { countMails } from '../src/mail/mail-queue.ts'
import { countLogouts } from '../src/sessions/logout-queue.ts'

type Labels = Readonly<Record<string, string>>

/** What a metric counts now: a number for each combination of labels. */
type Read = () => readonly (readonly [labels: Labels, value: number])[]

/**
 * Registers the metrics of a service. What is counted is copied when the metrics are collected, so that a request costs
 * no more than an addition. Labels are from closed sets; docs/events.md explains each metric.
 */
export function registerServiceMetrics(registry: Registry, context: Context): void {
  const { counts, storage, keys, now } = context
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
  counter('redmint_refusals_total', 'Errors that were answered', ['error'], () =>
    rows('error', counts.refusals),
  )

  counter(
    'redmint_client_documents_total',
    'Metadata documents of clients that were asked for',
    ['outcome'],
    () => rows('outcome', counts.documents),
  )

  const { timings = {} } = storage
  const timed = Object.entries(timings)
  counter('redmint_redis_calls_total', 'Calls of Redis', ['intent'], () =>
    timed.map(([intent, { calls }]) => [{ intent }, calls]),
  )
  counter('redmint_redis_seconds_total', 'Seconds until Redis had answered or failed', ['intent'], () =>
    timed.map(([intent, { seconds }]) => [{ intent }, seconds]),
  )

  const queues: [string, string, typeof countLogouts][] = [
    ['redmint_logout_queue_length', 'Logout notices that wait', countLogouts],
    ['redmint_ending_queue_length', 'Endings by operators that wait or are being done', countEndings],
  ]
  if (hasMail(context.settings)) queues.push(['redmint_mail_queue_length', 'Mails that wait', countMails])
  for (const [name, help, count] of queues) {
    new Gauge({
      name,
      help: `${help}; NaN if storage does not answer`,
      registers: [registry],
      async collect() {
        this.set(await count(storage).catch(() => Number.NaN))
      },
    })
  }
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
}

function rows(label: string, tally: Readonly<Record<string, number>>): [labels: Labels, value: number][] {
  return Object.entries(tally).map(([name, value]) => [{ [label]: name }, value])
}
