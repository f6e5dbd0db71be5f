import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { layOut, type Place } from './layout.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'
import { flatten, makeNavigation } from './navigation.ts'
import { findSources, INDEX, resolveLink, type Sources } from './sources.ts'
import { allPages, searchPage, startPage, versionsPage } from './special.ts'
import { addVersion, currentOf, folderOf, LIST, listText, versionOf } from './versions.ts'

const ASSETS = ['site.css', 'site.js', 'theme.js']
/** The search of the pages, as a script for browsers. */
const MINISEARCH = new URL('../umd/index.js', import.meta.resolve('minisearch'))

/**
 * Makes the pages of a version in a folder of its own below that of the site, and what all versions share: the list of
 * versions, and a start that leads to the current one. Other versions stay as they are.
 * @param folder the root of the repository, or of another version of it
 * @returns the version, and how many pages it has
 * @throws Error with every link that leads nowhere; then nothing is written
 */
export async function makeSite(folder: string, site: string): Promise<{ version: string; pages: number }> {
  const version = versionOf(folder)
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const sources = findSources(
    folder,
    read(INDEX),
    version.date === undefined ? 'main' : `v${version.version}`,
  )
  const navigation = makeNavigation(sources, read)
  const { rendered, files } = renderAll(sources, read)

  const root = join(site, folderOf(version))
  rmSync(root, { recursive: true, force: true })
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const copy = (from: string | URL, path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    copyFileSync(from, join(root, path))
  }
  for (const name of ASSETS) copy(new URL(`assets/${name}`, import.meta.url), `assets/${name}`)
  copy(MINISEARCH, 'assets/minisearch.js')
  for (const name of files) copy(join(folder, 'docs', name), name)

  const versions = addVersion(site, { ...version, pages: [...sources.pages.values()] })
  const order = navigation.flatMap(({ entries }) => flatten(entries))
  for (const [index, { name }] of order.entries()) {
    const page = rendered.get(name)
    const path = sources.pages.get(name)
    if (!page || path === undefined) continue
    const place: Place = { path, source: name, version, versions, navigation, sources }
    put(path, layOut(place, page, { before: order[index - 1], after: order[index + 1] }))
  }
  const special = (path: string) => ({ path, version, versions, navigation, sources })
  put('search.html', layOut(special('search.html'), searchPage(allPages(navigation, sources))))
  put('assets/texts.js', searchTexts(sources, rendered))

  writeFileSync(join(site, LIST), listText(versions))
  const current = currentOf(versions) ?? version
  writeFileSync(join(site, 'index.html'), startPage(current))
  writeFileSync(join(site, 'versions.html'), versionsPage(versions, current))
  return { version: version.version, pages: order.length }
}

/** Renders all pages. @throws Error with every link of every page that leads nowhere */
function renderAll(sources: Sources, read: (name: string) => string) {
  const rendered = new Map<string, Rendered>()
  const files = new Set<string>()
  const anchors: { from: string; target: string; page: string; anchor: string }[] = []
  const problems: string[] = []
  for (const name of sources.pages.keys()) {
    const follow = (target: string): string => {
      try {
        const { href, page, anchor, file } = resolveLink(sources, name, target)
        if (file !== undefined) files.add(file)
        if (page !== undefined && anchor !== undefined) anchors.push({ from: name, target, page, anchor })
        return href
      } catch (error) {
        problems.push((error as Error).message)
        return target
      }
    }
    const picture = (target: string) => {
      const size = pictureSize(join(sources.folder, posix.dirname(name), target))
      return { src: follow(target), ...(size && { size }) }
    }
    try {
      rendered.set(name, renderMarkdown(read(name), { link: follow, picture }))
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
    }
  }
  for (const { from, target, page, anchor } of anchors) {
    if (!rendered.get(page)?.anchors.has(anchor)) problems.push(`${from}: there is no ${target}`)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return { rendered, files }
}

/** The size of a PNG, which its header has at a fixed place; undefined for others. */
function pictureSize(path: string): { width: number; height: number } | undefined {
  if (!path.endsWith('.png') || !existsSync(path)) return undefined
  const header = readFileSync(path).subarray(16, 24)
  return { width: header.readUInt32BE(0), height: header.readUInt32BE(4) }
}

/** The texts of all sections, as a script: `[path, title, [[anchor, heading, text, names], …]]` for each page. */
function searchTexts(sources: Sources, rendered: ReadonlyMap<string, Rendered>): string {
  const pages = [...rendered].map(([name, { title, sections }]) => [
    sources.pages.get(name),
    title,
    sections.map(({ id, heading, text, names }) => [id, heading, text, names]),
  ])
  return `self.redmintTexts = ${JSON.stringify(pages)}\n`
}
