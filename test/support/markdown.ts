// Parts of the Markdown files of the repository, for tests that compare them with the program.
import { readFile } from 'node:fs/promises'

const ROOT = new URL('../../', import.meta.url)

/** The text of a file of the repository. */
export function readText(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8')
}

/** The section below a heading of the second level, else of the third, without the heading. */
export function section(markdown: string, heading: string): string {
  const under = (levels: RegExp) => markdown.split(levels).find((text) => text.startsWith(`${heading}\n`))
  return under(/^## /m) ?? under(/^###? /m) ?? ''
}

/** The contents of the fenced blocks of a language. */
export function blocks(markdown: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')
  return [...markdown.matchAll(fenced)].map(([, text = '']) => text)
}

/** The cells of all table rows, without the lines under the headings. */
export function tableRows(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| ') || line.startsWith('|`'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** The inline code in a text. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}
