// Parts of the repository's Markdown files, for the tests that hold them against the program.
import { readFile } from 'node:fs/promises'

const ROOT = new URL('../../', import.meta.url)

/** The text of a file of the repository. */
export function readText(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8')
}

/** The section below a heading of the second level, the heading left out. */
export function section(markdown: string, heading: string): string {
  return markdown.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
}

/** What is in the fenced blocks of a language, block by block. */
export function blocks(markdown: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')
  return [...markdown.matchAll(fenced)].map(([, text = '']) => text)
}

/** The rows of all tables, cell by cell, without the rules under the headings. */
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

/** What is written as code in a text. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}
