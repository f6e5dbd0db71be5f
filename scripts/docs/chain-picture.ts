// The picture of docs/acting.md: a chain of tokens, readable on a white and on a black page.

const TITLE =
  'A chain: alice signs in at Shop, which calls Orders, which calls Billing, which calls Mail, each with a token of its own for alice. redmint exchanges them, and they end together.'
const WIDTH = 860
const BOX = { width: 116, height: 52, y: 44 }
const CARD = { width: 156, y: 126 }
const LINE = 17

/** Who takes part, from the person to the last API. */
const PARTIES = [
  ['alice', 'a person'],
  ['Shop', 'an application'],
  ['Orders', 'an API'],
  ['Billing', 'an API'],
  ['Mail', 'an API'],
] as const

/** The token of each step, whose first line is a heading. */
const TOKENS = [
  ['token for Orders', 'sub: alice', 'client_id: shop', 'scope: orders invoices', 'ends in 15 minutes'],
  ['token for Billing', 'sub: alice', 'act: orders', 'scope: invoices', 'ends in 5 minutes'],
  ['token for Mail', 'sub: alice', 'act: billing, after orders', 'scope: invoices', 'ends with the others'],
] as const

/** Draws a chain as SVG. */
export function chainPicture(): string {
  const gap = (WIDTH - 20 - PARTIES.length * BOX.width) / (PARTIES.length - 1)
  const left = (index: number) => 10 + index * (BOX.width + gap)
  const middle = BOX.y + BOX.height / 2
  const card = { ...CARD, height: TOKENS[0].length * LINE + 16 }
  const server = { y: card.y + card.height + 46, height: 48 }
  const parties = PARTIES.flatMap(([name, what], index) => {
    const center = left(index) + BOX.width / 2
    return [
      box(left(index), BOX.y, BOX.width, BOX.height, index === 0 ? 'person' : 'party'),
      text(center, BOX.y + 23, name, 'name'),
      text(center, BOX.y + 40, what),
    ]
  })
  const calls = PARTIES.slice(1).flatMap((_, index) => {
    const [from, to] = [left(index) + BOX.width + 3, left(index + 1) - 3]
    const label = text((from + to) / 2, middle - 8, index === 0 ? 'signs in' : 'calls')
    return [arrow(from, middle, to, middle), label]
  })
  const tokens = TOKENS.flatMap((lines, index) => {
    const center = left(index + 1) + BOX.width + gap / 2
    return [
      line(center, middle + 6, center, card.y, 'thread'),
      box(center - card.width / 2, card.y, card.width, card.height, 'token'),
      ...lines.map((content, row) =>
        text(center, card.y + 20 + row * LINE, content, row === 0 ? 'name' : undefined),
      ),
    ]
  })
  const exchanges = TOKENS.slice(1).flatMap((_, index) => {
    const x = left(index + 1) + BOX.width + gap / 2
    const next = left(index + 2) + BOX.width + gap / 2
    const [down, up] = [x + 20, next - 20]
    const bottom = card.y + card.height
    return [
      arrow(down, bottom + 3, down, server.y - 3),
      arrow(up, server.y - 3, up, bottom + 3),
      text((down + up) / 2, bottom + 28, 'exchange'),
    ]
  })
  const height = server.y + server.height + 12
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${TITLE}">`,
    STYLE,
    text(10, 22, 'One person, three APIs: who acts is in each token', 'title'),
    ...parties,
    ...calls,
    ...tokens,
    ...exchanges,
    box(10, server.y, WIDTH - 20, server.height, 'server'),
    text(WIDTH / 2, server.y + 20, 'redmint', 'name'),
    text(WIDTH / 2, server.y + 38, 'one family: what ends a token ends all that came from it, in one step'),
    '</svg>\n',
  ].join('\n')
}

const STYLE = `<style>text{font:12px system-ui,sans-serif;fill:#475569;text-anchor:middle}
.name,.title{font-weight:bold;fill:#1e293b}.title{text-anchor:start}
rect{fill:none;stroke-width:1.5}.person{stroke:#d97706}.party{stroke:#64748b}.token{stroke:#0d9488}.server{stroke:#6366f1}
line{stroke:#64748b;stroke-width:1.5}.thread{stroke-dasharray:2 4}path{fill:#64748b}
@media(prefers-color-scheme:dark){text{fill:#cbd5e1}.name,.title{fill:#f8fafc}.party{stroke:#94a3b8}line{stroke:#94a3b8}path{fill:#94a3b8}}</style>`

const round = (value: number) => value.toFixed(1)

const box = (x: number, y: number, width: number, height: number, kind: string) =>
  `<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="8"/>`

const text = (x: number, y: number, content: string, kind?: string) =>
  `<text${kind === undefined ? '' : ` class="${kind}"`} x="${round(x)}" y="${round(y)}">${content}</text>`

const line = (x1: number, y1: number, x2: number, y2: number, kind?: string) =>
  `<line${kind === undefined ? '' : ` class="${kind}"`} x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`

/** A line with a head: to the right, up or down. */
function arrow(x1: number, y1: number, x2: number, y2: number): string {
  const [dx, dy] = [Math.sign(x2 - x1), Math.sign(y2 - y1)]
  const [x, y] = [x2 - 7 * dx, y2 - 7 * dy]
  const head = `M${round(x2)} ${round(y2)}L${round(x - 4 * dy)} ${round(y - 4 * dx)}L${round(x + 4 * dy)} ${round(y + 4 * dx)}Z`
  return `${line(x1, y1, x, y)}<path d="${head}"/>`
}
