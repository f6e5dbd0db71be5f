// Bars as SVG, readable on a white and on a black page.

/** Bars of one operation; a value that was not measured has no bar. */
export interface Group {
  title: string
  values: readonly (number | undefined)[]
}

const WIDTH = 860
const LABELS = 330
const BAR = 13
const GAP = 10
const HEAD = 62
const COLORS = ['#94a3b8', '#d97706', '#0d9488', '#6366f1']

/**
 * A picture of horizontal bars, a group for each operation and a colour for each series.
 * @param options.series the names of the series, at most four
 * @param options.unit what follows each number
 */
export function barChart(
  groups: readonly Group[],
  { title, series, unit }: { title: string; series: readonly string[]; unit: string },
): string {
  const most = Math.max(...groups.flatMap(({ values }) => values.filter((value) => value !== undefined)), 0)
  const scale = (WIDTH - LABELS - 90) / (most || 1)
  const parts: string[] = []
  let y = HEAD
  for (const { title, values } of groups) {
    const shown = values.flatMap((value, index) => (value === undefined ? [] : [{ value, index }]))
    const middle = y + (shown.length * BAR) / 2 + 4
    parts.push(text(LABELS - 10, middle, title, 'text-anchor="end"'))
    for (const { value, index } of shown) {
      const width = Math.max(value * scale, 1).toFixed(1)
      parts.push(
        `<rect x="${LABELS}" y="${y}" width="${width}" height="${BAR - 2}" fill="${COLORS[index]}"/>`,
        text(LABELS + Number(width) + 5, y + BAR - 3, `${short(value)}${unit}`),
      )
      y += BAR
    }
    y += GAP
  }
  const legend = series.flatMap((name, index) => {
    const x = LABELS + index * 125
    return [`<rect x="${x}" y="36" width="11" height="11" fill="${COLORS[index]}"/>`, text(x + 16, 46, name)]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="${escaped(title)}">`,
    '<style>text{font:12px system-ui,sans-serif;fill:#475569}',
    '@media(prefers-color-scheme:dark){text{fill:#cbd5e1}}</style>',
    text(10, 20, title, 'font-weight="bold"'),
    ...legend,
    ...parts,
    '</svg>\n',
  ].join('\n')
}

const short = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)))

const text = (x: number, y: number, content: string, attributes = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes && ` ${attributes}`}>${escaped(content)}</text>`

function escaped(content: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return content.replaceAll('`', '').replace(/[&<>"]/g, (sign) => entities[sign] ?? '')
}
