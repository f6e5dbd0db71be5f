// Pages that no Markdown file has: the search, the list of versions, and the start that leads to the current one.
import type { Content } from './layout.ts'
import { escapeHtml } from './markdown.ts'
import { flatten, type Group } from './navigation.ts'
import type { Sources } from './sources.ts'
import { folderOf, type Version } from './versions.ts'

/** Returns a list of all pages, for readers without scripts. */
export function allPages(navigation: readonly Group[], sources: Sources): string {
  return navigation
    .map(({ title, entries }) => {
      const items = flatten(entries).map(
        ({ name, label }) => `<li><a href="${sources.pages.get(name)}">${escapeHtml(label)}</a></li>`,
      )
      return `<h3>${escapeHtml(title)}</h3>\n<ul>\n${items.join('\n')}\n</ul>`
    })
    .join('\n')
}

/** Returns the page of the search. @param pages the list of all pages */
export function searchPage(pages: string): Content {
  return {
    title: 'Search',
    summary: 'What the pages say about a word.',
    html: `<h1>Search</h1>
<div id="results"><p>The search needs scripts. All pages are listed below.</p></div>
<h2 id="all-pages">All pages</h2>
${pages}`,
    headings: [],
  }
}

/** Returns the first page of the site: it leads to the current version. */
export function startPage(current: { version: string }): string {
  const address = `${folderOf(current)}/index.html`
  return bare(
    'Documentation',
    folderOf(current),
    `<meta http-equiv="refresh" content="0; url=${address}">`,
    `<h1>redmint</h1>
<p><a href="${address}">The documentation of version ${current.version}</a></p>`,
  )
}

/** Returns the list of versions. */
export function versionsPage(versions: readonly Version[], current: { version: string }): string {
  const items = versions.map((entry) => {
    const { version, date } = entry
    const note = date === undefined ? 'not released yet' : `of ${date}`
    return `<li><a href="${folderOf(entry)}/index.html">${version}</a>, ${note}${version === current.version ? ', the current one' : ''}</li>`
  })
  return bare('Versions', folderOf(current), '', `<h1>Versions</h1>\n<ul>\n${items.join('\n')}\n</ul>`)
}

function bare(title: string, folder: string, head: string, html: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · redmint</title>
${head}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/assets/site.css">
<script src="${folder}/assets/theme.js"></script>
<body class="bare">
<main>
${html}
</main>
</html>
`
}
