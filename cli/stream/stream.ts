import type { Stream } from '../../src/admin/streams.ts'
import { count } from '../../src/core/count.ts'
import type { Calls } from '../calls.ts'
import { type Hints, withHints } from '../errors.ts'
import { listed, pairs, type Report } from '../output.ts'
import { when } from '../when.ts'

const HINTS: Hints = { not_found: ': redmint stream list shows all.' }

/** The command `stream list`. */
export async function listStreams({ call, now }: Calls): Promise<Report> {
  const { items: streams, off } = await call('list_streams')
  const rows = streams.map((stream) => [
    stream.client_id,
    stream.status,
    stream.delivery,
    String(stream.waiting),
    when(stream.waiting_since, now),
    String(stream.failures),
    when(stream.delivered_at, now),
  ])
  const head = ['CLIENT', 'STATUS', 'DELIVERY', 'WAITING', 'SINCE', 'FAILURES', 'TAKEN']
  return {
    text: listed(head, rows, { none: off ?? 'No client has a stream.', noun: 'stream' }),
    json: { streams, ...(off !== undefined && { off }) },
  }
}

/** The command `stream show`. @throws Refusal if the client has none */
export async function showStream({ call, now }: Calls, client_id: string): Promise<Report> {
  const stream = await withHints(HINTS, call('read_stream', { params: { client_id } }))
  return { text: pairs(rowsOf(stream, now)), json: stream }
}

/** The command `stream resume`. @throws Refusal as showStream */
export async function resumeStream({ call }: Calls, client_id: string): Promise<Report> {
  const stream = await withHints(HINTS, call('resume_stream', { params: { client_id } }))
  const text = `The stream of ${client_id} is enabled: ${count(stream.waiting, 'event')} will be delivered.`
  return { text, json: stream }
}

/** The command `stream remove`. @throws Refusal as showStream */
export async function removeStream({ call }: Calls, client_id: string): Promise<Report> {
  const stream = await withHints(HINTS, call('delete_stream', { params: { client_id } }))
  const text = `The stream of ${client_id} is removed, with ${count(stream.waiting, 'event')}.`
  return { text, json: stream }
}

function rowsOf(stream: Stream, now: number): [string, string][] {
  const { events, waiting, waiting_since, failures, removed_subjects, created_at, delivered_at } = stream
  const rows: [string, string][] = [
    ['client_id', stream.client_id],
    ['stream_id', stream.stream_id],
    ['status', stream.status],
    ['reason', stream.reason ?? ''],
    ['description', stream.description ?? ''],
    ['delivery', stream.delivery],
    ['endpoint_url', stream.endpoint_url ?? ''],
    ['events', events.join(' ')],
    ['waiting', String(waiting)],
    ['waiting_since', when(waiting_since, now)],
    ['failures', String(failures)],
    ['removed_subjects', String(removed_subjects)],
    ['created_at', when(created_at, now)],
    ['delivered_at', when(delivered_at, now)],
  ]
  return rows.filter(([, value]) => value !== '')
}
