import type { Day } from '../../admin/day/day.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { code, link, part, table } from '../pages/parts.ts'
import { plot } from '../pages/plot.ts'

type Hour = Day['hours'][number]

const SHOWN_REASONS = 10
const HOUR_CHARACTERS = 'YYYY-MM-DDTHH:MM'.length

/** The last day in small plots, with the numbers in tables beside them. */
export function lastDay(desk: Desk, { hours, reasons }: Day): Html {
  const all = (pick: (hour: Hour) => number) => hours.reduce((sum, hour) => sum + pick(hour), 0)
  const [first, last] = [clock(hours[0]), clock(hours.at(-1))]
  const ends = { from: first, to: `${last} UTC` }
  const [succeeded, failed, limited, refused] = [
    all((hour) => hour.succeeded),
    all((hour) => hour.failed),
    all((hour) => hour.limited),
    all((hour) => hour.refused),
  ]
  const timed = hours.filter(({ requests }) => requests > 0)
  const slowest = Math.max(0, ...timed.map(({ p95 }) => p95 ?? MORE))
  return part('The last day', [
    html`<div class="tiles">
${plot({
  ...ends,
  title: 'Sign-ins',
  names: ['succeeded', 'failed', 'refused by a limit'],
  columns: hours.map((hour) => ({ values: [hour.succeeded, hour.failed, hour.limited] })),
  top: (most) => `${most} in an hour`,
  says: `Sign-ins by the hour: ${succeeded} succeeded, ${failed} failed, ${limited} were refused by a limit.`,
})}${plot({
  ...ends,
  title: 'Refused requests',
  names: ['refused'],
  columns: hours.map((hour) => ({ values: [hour.refused] })),
  top: (most) => `${most} in an hour`,
  says: `Refused requests by the hour: ${refused} in all.`,
})}${plot({
  ...ends,
  title: 'How long answers took',
  names: ['half of them', '95 of 100'],
  columns: hours.map((hour) => ({ values: steps(hour) })),
  top: () => within(slowest === MORE ? undefined : slowest),
  says: `How long answers took, by the hour: 95 of 100 ${timed.length === 0 ? 'of none' : `took ${within(slowest === MORE ? undefined : slowest)} at most`}.`,
})}</div>
`,
    table(
      'Why requests were refused',
      ['Reason', 'How often'],
      reasons.slice(0, SHOWN_REASONS).map(({ reason, count }) => [code(reason), String(count)]),
      'No request was refused in the last day.',
    ),
    html`<details class="more"><summary>The same by the hour</summary>
${table(
  'By the hour, in UTC; times are those within which so many requests were answered',
  ['Hour', 'Sign-ins', 'Failed', 'Limited', 'Refused', 'Requests', 'Half', '95 of 100', '99 of 100'],
  [...hours].reverse().map(rowOf),
  'Nothing yet.',
)}</details>
<p class="hint">Each server adds its numbers once a minute${desk.may('list_explanations') && desk.off('list_explanations') === undefined ? html`; ${link(desk, '/explain', 'Explain')} has the latest refusals` : ''}.</p>`,
  ])
}

/** More than the last bucket of times, in milliseconds. */
const MORE = 2000

/** The heights of the bars of times: half, and from there to 95 of 100. A factor is a distance: times differ by factors. */
function steps({ requests, p50 = MORE, p95 = MORE }: Hour): readonly number[] {
  if (requests === 0) return [0, 0]
  const height = (ms: number) => Math.log2(ms + 1)
  return [height(p50), height(p95) - height(p50)]
}

const clock = (hour: Hour | undefined): string => hour?.at.slice(11, HOUR_CHARACTERS) ?? ''
const within = (ms: number | undefined): string => (ms === undefined ? 'over 1 s' : `${ms} ms`)

function rowOf(hour: Hour): string[] {
  const { at, succeeded, failed, limited, refused, requests, p50, p95, p99 } = hour
  const times = [p50, p95, p99].map((ms) => (requests === 0 ? '' : within(ms)))
  const counts = [succeeded, failed, limited, refused, requests].map(String)
  return [at.slice(0, HOUR_CHARACTERS).replace('T', ' '), ...counts, ...times]
}
