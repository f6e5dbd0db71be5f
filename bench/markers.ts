// Parts of a page that a script writes, between two comments.
import { readFileSync, writeFileSync } from 'node:fs'

/** The page with new text between the markers of a name. @throws Error if the page has no such markers */
export function replaceMarked(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(open), page.indexOf(close)]
  if (from < 0 || to < from) throw new Error(`the page needs ${open} and, below it, ${close}`)
  return `${page.slice(0, from + open.length)}\n\n${text}\n\n${page.slice(to)}`
}

/** Writes several parts of a file. */
export function writeMarked(path: URL, parts: Record<string, string>): void {
  let page = readFileSync(path, 'utf8')
  for (const [name, text] of Object.entries(parts)) page = replaceMarked(page, name, text)
  writeFileSync(path, page)
}
