import type { Day } from '../../admin/day/day.ts'
import type { Reason } from '../../core/reasons.ts'
import { titleOf } from '../../explain/titles.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { panel } from '../pages/panel.ts'
import { link, table } from '../pages/parts.ts'
import { plot } from '../pages/plot.ts'

type Hour = Day['hours'][number]

const SHOWN_REASONS = 6
const HOUR_CHARACTERS = 'YYYY-MM-DDTHH:MM'.length
const EVERY = 6

/** The last day in small plots. */
export function lastDay({ hours }: Day): Html {
  const all = (pick: (hour: Hour) => number) => hours.reduce((sum, hour) => sum + pick(hour), 0)
  const [succeeded, failed, limited, refused] = [
    all((hour) => hour.succeeded),
    all((hour) => hour.failed),
    all((hour) => hour.limited),
    all((hour) => hour.refused),
  ]
  const timed = hours.filter(({ requests }) => requests > 0)
  const slowest = Math.max(0, ...timed.map(({ p95 }) => p95 ?? MORE))
  const half = Math.max(0, ...timed.map(({ p50 }) => p50 ?? MORE))
  const most = hours.reduce<Hour | undefined>(
    (found, hour) => (hour.refused > (found?.refused ?? 0) ? hour : found),
    undefined,
  )
  const below = hours.flatMap((hour, i) => (i % EVERY === 0 && i < hours.length - 1 ? [clock(hour)] : []))
  const base = { hours: [...below, 'now'] }
  return html`<h2 class="down">The last 24 hours</h2>
<div class="tiles">
${plot({
  ...base,
  title: 'Sign-ins',
  number: grouped(succeeded),
  columns: hours.map((hour) => ({
    says: `${clock(hour)}, ${hour.succeeded} sign-ins, ${hour.failed + hour.limited} failed`,
    values: [hour.succeeded, hour.failed, hour.limited],
  })),
  keys: [
    ['first', 'succeeded'],
    ['second', `failed, ${grouped(failed)}`],
    ...(limited === 0 ? [] : [['third', `refused by a limit, ${grouped(limited)}`] as const]),
  ],
  says: `Sign-ins by the hour: ${succeeded} succeeded, ${failed} failed, ${limited} were refused by a limit.`,
})}${plot({
  ...base,
  title: 'Refused requests',
  number: grouped(refused),
  columns: hours.map((hour) => ({ says: `${clock(hour)}, ${hour.refused} refused`, values: [hour.refused] })),
  keys: [[undefined, most === undefined ? 'none' : `most at ${clock(most)}`]],
  says: `Refused requests by the hour: ${refused} in all.`,
})}${plot({
  ...base,
  title: 'Answer, 95 of 100 within',
  number: timed.length === 0 ? 'no request yet' : within(slowest === MORE ? undefined : slowest),
  columns: hours.map((hour) => ({
    says: `${clock(hour)}, ${hour.requests === 0 ? 'no request' : within(hour.p95)}`,
    values: steps(hour),
  })),
  keys: [
    [undefined, timed.length === 0 ? '' : `half of them within ${within(half === MORE ? undefined : half)}`],
  ],
  says: `How long answers took, by the hour: 95 of 100 ${timed.length === 0 ? 'of none' : `took ${within(slowest === MORE ? undefined : slowest)} at most`}.`,
})}</div>
`
}

/** Why requests were refused, each with its share and a link to such requests; and the numbers of the plots, folded. */
export function whyRefused(desk: Desk, { hours, reasons }: Day): Html {
  const [first] = reasons
  const may_look = desk.may('list_explanations') && desk.off('list_explanations') === undefined
  const shown = reasons.slice(0, SHOWN_REASONS).map(({ reason, count }) => {
    const title = titleOf(reason as Reason, {})
    const share = String(Math.round((100 * count) / Math.max(1, first?.count ?? 1)))
    return html`<li><div class="grow">${may_look ? link(desk, `/explain?${new URLSearchParams({ reason }).toString()}`, title) : title}<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${share}" height="1"/></svg></div><span class="number">${grouped(count)}</span></li>\n`
  })
  return panel(
    { title: 'Why requests were refused', action: may_look ? link(desk, '/explain', 'All') : '' },
    html`${shown.length === 0 ? html`<p>No request was refused in the last day.</p>` : html`<ul class="rows">\n${shown}</ul>`}
<details class="more"><summary>The plots in numbers</summary>
${table(
  'By the hour, in UTC; times are those within which so many requests were answered',
  [
    'Hour',
    'Sign-ins',
    'Failed',
    { label: 'Limited', is_minor: true },
    'Refused',
    { label: 'Requests', is_minor: true },
    { label: 'Half', is_minor: true },
    '95 of 100',
    { label: '99 of 100', is_minor: true },
  ],
  [...hours].reverse().map(rowOf),
  'Nothing yet.',
)}</details>`,
  )
}

/** More than the last bucket of times, in milliseconds. */
const MORE = 2000
const SECOND = 1000

/** The heights of the bars of times: half, and from there to 95 of 100. A factor is a distance: times differ by factors. */
function steps({ requests, p95 = MORE }: Hour): readonly number[] {
  return requests === 0 ? [0] : [Math.log2(p95 + 1)]
}

const grouped = (count: number): string => new Intl.NumberFormat('en').format(count)
const clock = (hour: Hour | undefined): string => hour?.at.slice(11, HOUR_CHARACTERS) ?? ''
const within = (ms: number | undefined): string =>
  ms === undefined ? 'more than a second' : ms >= SECOND ? 'a second' : `${String(ms / SECOND)} s`

function rowOf(hour: Hour): string[] {
  const { at, succeeded, failed, limited, refused, requests, p50, p95, p99 } = hour
  const times = [p50, p95, p99].map((ms) => (requests === 0 ? '' : within(ms)))
  const [half, most, nearly_all] = times
  const counts = [succeeded, failed, limited, refused, requests].map(String)
  return [at.slice(0, HOUR_CHARACTERS).replace('T', ' '), ...counts, half ?? '', most ?? '', nearly_all ?? '']
}
