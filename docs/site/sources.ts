// Which files are pages of the site, where each is, and where a link between files leads.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

const { dirname, normalize, relative } = posix

/** The public repository: files that are no pages are read there. */
export const REPOSITORY = 'https://github.com/redmint/redmint'
/** The list of the pages, which is the first page, too. */
export const INDEX = 'docs/README.md'
/** The generator, which is no page. */
const OWN = 'docs/site/'
const LINK = /\]\(([^)\s#]+)[^)\s]*\)/g

/** The pages of a folder of the repository. */
export interface Sources {
  readonly folder: string
  /** The path of the page of each Markdown file, below that of the version. */
  readonly pages: ReadonlyMap<string, string>
  /** Where files are shown that are no pages: a branch or tag. */
  readonly ref: string
}

/**
 * Returns all Markdown files of `docs/`, and those elsewhere that the list of the pages names.
 * @param index the text of the list of the pages
 */
export function findSources(folder: string, index: string, ref: string): Sources {
  const inside = readdirSync(join(folder, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name}`)
    .filter((name) => name.endsWith('.md') && !name.startsWith(OWN))
  const listed = linksOf(index).map((target) => normalize(`docs/${target}`))
  const outside = listed.filter((name) => name.endsWith('.md') && !name.startsWith('docs/'))
  const names = [...new Set([...inside.sort(), ...outside])]
  return { folder, pages: new Map(names.map((name) => [name, pathOf(name)])), ref }
}

/** The targets of the links in a text, without their anchors, in order. */
export function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(LINK)].flatMap(([, target = '']) => (isElsewhere(target) ? [] : [target]))
}

/** `docs/connect/README.md` is `connect/index.html`; what is not in `docs/` is in `project/`. */
function pathOf(name: string): string {
  const below = name.startsWith('docs/') ? name.slice('docs/'.length) : `project/${name}`
  return below
    .replace(/README\.md$/, 'index.md')
    .replace(/\.md$/, '.html')
    .toLowerCase()
}

const isElsewhere = (target: string): boolean => /^[a-z]+:/.test(target)

/** Where a link leads: to an address relative to that of the page, and what there has to be. */
export interface Target {
  readonly href: string
  /** The Markdown file that is to have the anchor. */
  readonly page?: string
  readonly anchor?: string
  /** A file that the site needs beside its pages. */
  readonly file?: string
}

/**
 * Returns where a link of a Markdown file leads.
 * @throws Error if the repository has no such file
 */
export function resolveLink({ folder, pages, ref }: Sources, from: string, link: string): Target {
  if (isElsewhere(link)) return { href: link }
  const [path = '', anchor] = link.split('#')
  const name = path === '' ? from : normalize(posix.join(dirname(from), path)).replace(/\/$/, '')
  const hash = anchor === undefined ? '' : `#${anchor}`
  const own = dirname(pages.get(from) ?? '')
  const page = pages.get(name)
  if (page !== undefined) {
    const href = path === '' ? hash : relative(own, page) + hash
    return { href, page: name, ...(anchor !== undefined && { anchor }) }
  }
  if (!existsSync(join(folder, name))) throw new Error(`${from}: there is no ${link}`)
  if (statSync(join(folder, name)).isDirectory()) return { href: `${REPOSITORY}/tree/${ref}/${name}` }
  if (!name.startsWith('docs/')) return { href: `${REPOSITORY}/blob/${ref}/${name}${hash}` }
  const file = name.slice('docs/'.length)
  return { href: relative(own, file), file }
}
