// The navigation, taken from docs/README.md: its headings are the groups, its links the entries.
import { posix } from 'node:path'
import { INDEX, linksOf, type Sources } from './sources.ts'

/** An entry of the navigation: a Markdown file, with those that only its own list names. */
export interface Entry {
  readonly name: string
  readonly label: string
  readonly below: readonly Entry[]
}

export interface Group {
  readonly title: string
  readonly entries: readonly Entry[]
}

const LINK = /\[([^\]]+)\]\(([^)\s#]+)[^)\s]*\)/g
/** What stands above the first heading. */
const FIRST = 'Start'

/**
 * Returns the groups of the list of the pages. A page stands where a heading names it first, else above all of them.
 * Of pages that are not listed, those of a folder are below its `README.md`.
 * @param read returns the text of a Markdown file
 * @throws Error with the pages that no list names
 */
export function makeNavigation(sources: Sources, read: (name: string) => string): Group[] {
  const [head = '', ...sections] = read(INDEX).split(/^## /m)
  const titled = sections.map((text) => ({ title: text.split('\n', 1)[0] ?? '', text }))
  const used = new Set<string>()
  const take = ({ title, text }: { title: string; text: string }) => ({
    title,
    links: linksWithLabels(text, INDEX).filter(({ name }) => {
      const isNew = sources.pages.has(name) && !used.has(name)
      used.add(name)
      return isNew
    }),
  })
  const groups = titled.map(take)
  const start = take({ title: FIRST, text: head })
  const all = [{ ...start, links: [{ name: INDEX, label: 'Documentation' }, ...start.links] }, ...groups]
  used.add(INDEX)

  const navigation = all
    .filter(({ links }) => links.length > 0)
    .map(({ title, links }) => ({
      title,
      entries: links.map((link) => {
        const below = link.name.endsWith('/README.md') ? linksWithLabels(read(link.name), link.name) : []
        const folder = posix.dirname(link.name)
        const unlisted = below.filter(
          ({ name }) => !used.has(name) && sources.pages.has(name) && posix.dirname(name) === folder,
        )
        for (const { name } of unlisted) used.add(name)
        return { ...link, below: unlisted.map((entry) => ({ ...entry, below: [] })) }
      }),
    }))
  const missing = [...sources.pages.keys()].filter((name) => !used.has(name))
  if (missing.length > 0) throw new Error(`No list names ${missing.join(', ')}`)
  return navigation
}

/** All entries in order. */
export function flatten(entries: readonly Entry[]): Entry[] {
  return entries.flatMap((entry) => [entry, ...flatten(entry.below)])
}

function linksWithLabels(markdown: string, from: string): { name: string; label: string }[] {
  return [...markdown.matchAll(LINK)].flatMap(([whole, label = '', target = '']) =>
    linksOf(whole).length === 0
      ? []
      : [
          {
            name: posix.normalize(posix.join(posix.dirname(from), target)),
            label: capitalized(label.replace(/\s+/g, ' ').replaceAll('`', '')),
          },
        ],
  )
}

/** A link may stand in the middle of a sentence. */
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
