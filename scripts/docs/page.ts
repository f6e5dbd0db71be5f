/** A page of docs/, with its parts as they are now. */
export interface Page {
  /** Such as `docs/connect/flask.md`. */
  readonly path: string
  readonly text: string
}

/** Returns a part of a page, in Markdown. */
export type MakePart = (page: Page) => string | Promise<string>

const PART = /^<!-- npm run docs writes: ([^\n]+) -->\n(.*?)^<!-- end -->$/gms
const ANY_MARK = /^<!-- (npm run docs writes: .*|end) -->$/m

/** Returns the line with which a part begins. It ends with `<!-- end -->`. */
export function markOf(part: string): string {
  return `<!-- npm run docs writes: ${part} -->`
}

/**
 * Returns the text of a page whose parts between marks are made anew.
 * @throws Error if a mark has no other one, or names no part
 */
export async function makePage(page: Page, parts: Readonly<Record<string, MakePart>>): Promise<string> {
  const { path, text } = page
  let made = ''
  let at = 0
  for (const found of text.matchAll(PART)) {
    const [whole, name = '', old = ''] = found
    const part = parts[name]
    if (part === undefined) throw new Error(`${path}: there is no part "${name}"`)
    if (ANY_MARK.test(old)) throw new Error(`${path}: the part "${name}" has no end`)
    const body = await part(page)
    made += `${text.slice(at, found.index)}${markOf(name)}\n\n${body}\n\n<!-- end -->`
    at = found.index + whole.length
  }
  const rest = text.slice(at)
  if (ANY_MARK.test(rest)) throw new Error(`${path}: a mark has no other one`)
  return made + rest
}

/** Returns a table in Markdown. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

/** Returns a name as inline code. */
export function code(name: string): string {
  return `\`${name}\``
}
