// The HTML around the text of a page. Everything but the search works without scripts.
import { posix } from 'node:path'
import { escapeHtml, type Heading, type Rendered } from './markdown.ts'
import { type Entry, flatten, type Group } from './navigation.ts'
import { REPOSITORY, type Sources } from './sources.ts'
import { folderOf, LIST, type Version } from './versions.ts'

/** Where a page stands. */
export interface Place {
  readonly path: string
  /** The Markdown file, if the page is made from one. */
  readonly source?: string
  readonly version: Omit<Version, 'pages'>
  readonly versions: readonly Version[]
  readonly navigation: readonly Group[]
  readonly sources: Sources
}

interface Neighbours {
  readonly before?: Entry | undefined
  readonly after?: Entry | undefined
}

/** What a page needs to be laid out. */
export type Content = Pick<Rendered, 'title' | 'summary' | 'html' | 'headings'>

/** A list with less than this many headings is not worth the room beside the text. */
const CONTENTS_FROM = 2

/** Returns the HTML of a page. */
export function layOut(place: Place, content: Content, neighbours: Neighbours = {}): string {
  const { path, source, version, navigation } = place
  const root = posix.relative(posix.dirname(path), '.') || '.'
  const group = navigation.find(({ entries }) => flatten(entries).some(({ name }) => name === source))
  const { title, summary, html, headings } = content
  return `<!doctype html>
<html lang="en" data-root="${root}" data-path="${path}" data-version="${version.version}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · redmint ${version.version}</title>
<meta name="description" content="${escapeHtml(summary)}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/assets/site.css">
<script src="${root}/assets/theme.js"></script>
<script src="${root}/../${LIST}" defer></script>
<script src="${root}/assets/site.js" defer></script>
<body id="top">
<a class="skip" href="#text">Skip to the text</a>
<header class="top">
<a class="brand" href="${root}/index.html"><span class="mark" aria-hidden="true">r</span>redmint</a>
<a class="button menu" href="#menu">Menu</a>
${versionChooser(place, root)}
<form role="search" class="find" action="${root}/search.html">
<input type="search" name="q" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false">
<div class="found" hidden></div>
</form>
<button type="button" class="theme" hidden>Dark</button>
</header>
<div class="body">
<nav id="menu" class="side" aria-label="All pages">
<a class="button close" href="#top">Close the menu</a>
${navigation.map((part) => groupHtml(part, place)).join('\n')}
</nav>
<main id="text" tabindex="-1">
${group && source !== undefined ? `<p class="where">${escapeHtml(group.title)}</p>\n` : ''}${html}
${footer(place, neighbours)}
</main>
${contents(headings)}
</div>
</html>
`
}

/** Returns the address of a page of the same version. */
function addressOf(name: string, { path, sources }: Pick<Place, 'path' | 'sources'>): string {
  return posix.relative(posix.dirname(path), sources.pages.get(name) ?? '')
}

function groupHtml({ title, entries }: Group, place: Place): string {
  const open = flatten(entries).some(({ name }) => name === place.source)
  return `<details${open ? ' open' : ''}><summary>${escapeHtml(title)}</summary>
${listHtml(entries, place)}</details>`
}

function listHtml(entries: readonly Entry[], place: Place): string {
  const items = entries.map((entry) => {
    const current = entry.name === place.source ? ' aria-current="page"' : ''
    const isIn = flatten([entry]).some(({ name }) => name === place.source)
    // The pages of a folder are many: they are listed where one is in it.
    const below = isIn && entry.below.length > 0 ? `\n${listHtml(entry.below, place)}` : ''
    return `<li><a href="${addressOf(entry.name, place)}"${current}>${escapeHtml(entry.label)}</a>${below}</li>`
  })
  return `<ul>\n${items.join('\n')}\n</ul>`
}

/** The versions that there were when the page was made; the script adds those that came later. */
function versionChooser({ path, version, versions }: Place, root: string): string {
  const items = versions.map((other) => {
    const target = other.pages.includes(path) ? path : 'index.html'
    const current = other.version === version.version ? ' aria-current="true"' : ''
    return `<li><a href="${root}/../${folderOf(other)}/${target}"${current}>${other.version}${other.date === undefined ? ', not released' : ''}</a></li>`
  })
  return `<details class="versions"><summary><span class="read-only">Version </span>${version.version}</summary>
<ul>
${items.join('\n')}
<li><a href="${root}/../versions.html">All versions</a></li>
</ul></details>`
}

function contents(headings: readonly Heading[]): string {
  if (headings.length < CONTENTS_FROM) return ''
  const items = headings.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page">
<p>On this page</p>
<ul>
${items.join('\n')}
</ul>
</nav>`
}

function footer(place: Place, { before, after }: Neighbours): string {
  if (place.source === undefined) return ''
  const step = (entry: Entry | undefined, word: string) =>
    entry
      ? `<a href="${addressOf(entry.name, place)}"><small>${word}</small> ${escapeHtml(entry.label)}</a>`
      : '<span></span>'
  const { ref } = place.sources
  return `<footer>
<nav class="steps" aria-label="Next and previous page">${step(before, 'Before')}${step(after, 'Next')}</nav>
<p><a href="${REPOSITORY}/blob/${ref}/${place.source}">The source of this page</a></p>
</footer>`
}
