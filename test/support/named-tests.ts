// Tests that a page of the documentation names by file and title.
import { readText } from './markdown.ts'

/** A test by the path of its file and its title, as a page writes them: `test/a.test.ts`: a title. */
export interface NamedTest {
  readonly file: string
  readonly title: string
}

/** The tests that a page names: in items of lists, and in cells of tables, where `<br>` separates them. */
export function namedTests(markdown: string): NamedTest[] {
  const named = markdown.matchAll(/(?:^- |\| |<br>)`(test\/[^`]+)`: (.+?)(?=<br>| \||$)/gm)
  return [...named].map(([, file = '', title = '']) => ({ file, title }))
}

/** Returns what is wrong with a named test, with the titles that its file has; undefined if it exists. */
export async function problemOf({ file, title }: NamedTest): Promise<string | undefined> {
  const titles = titlesIn(await readText(file))
  if (titles.has(title)) return undefined
  // A renamed test is found among them.
  const candidates = [...titles].filter((text) => text.includes(' '))
  return `${file} has no test "${title}", but ${candidates.join(' | ')}`
}

/** The string literals and table keys of a source text; the titles of its tests are among them. */
function titlesIn(source: string): Set<string> {
  const code = source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  const quoted = code.matchAll(
    /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\\n])*)`|^ +(\w+): \{/gm,
  )
  const texts = [...quoted].map((match) => match.slice(1).find((text) => text !== undefined) ?? '')
  // What a title takes from a variable is an ellipsis in the page, and left out at the ends.
  return new Set(texts.map((text) => text.replace(/\$\{[^}]*\}/g, '…').replace(/^[…:, ]+|[…:, ]+$/g, '')))
}
