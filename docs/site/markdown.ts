// From the text of a Markdown file to the parts of its page.
import MarkdownIt, { type Token } from 'markdown-it'

/** A heading of the second or third level, for the contents of a page. */
export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** The text under a heading, for the search. */
export interface Section {
  readonly id: string
  readonly heading: string
  readonly text: string
  /** What the rows of its tables are about: their first cells. */
  readonly names: readonly string[]
}

export interface Rendered {
  readonly title: string
  /** The first paragraph, without links and marks. */
  readonly summary: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
  /** All anchors that a link may name. */
  readonly anchors: ReadonlySet<string>
}

/** Resolves the targets of a page. */
export interface Resolver {
  /** Returns the address of a link. */
  link(target: string): string
  /** Returns the address and the size of a picture. */
  picture(target: string): { src: string; size?: { width: number; height: number } }
}

const HTML = /^<(?:\/?(?:br|sub|sup)\s*\/?>|!--)/

/**
 * Makes the parts of a page. Tables and code scroll in themselves, and can be reached by keyboard for that.
 * @throws Error if the text has HTML that the pages do not use
 */
export function renderMarkdown(text: string, resolver: Resolver): Rendered {
  const markdown = new MarkdownIt({ html: true, linkify: true })
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  const tokens = markdown.parse(text, {})
  const { rules } = markdown.renderer
  rules.table_open = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'
  rules.table_close = () => '</table></div>\n'
  rules.fence = (list, index) => code(list[index])
  rules.code_block = rules.fence
  rules.heading_close = (list, index) => {
    const id = list[index - 2]?.attrGet('id') ?? ''
    const tag = list[index]?.tag ?? ''
    return tag === 'h1' ? `</${tag}>\n` : `${permalink(id, plain(list[index - 1]))}</${tag}>\n`
  }

  const anchors = new Set<string>()
  const headings: Heading[] = []
  const sections: { id: string; heading: string; texts: string[]; names: string[] }[] = []
  let title = ''
  let summary = ''
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = plain(tokens[index + 1])
      const id = uniqueAnchor(heading, anchors)
      token.attrSet('id', id)
      if (token.tag === 'h1') title ||= heading
      if (token.tag === 'h2' || token.tag === 'h3')
        headings.push({ level: Number(token.tag[1]), id, text: heading })
      sections.push({ id: token.tag === 'h1' ? '' : id, heading, texts: [], names: [] })
    } else if (/^t[hd]_/.test(token.type)) {
      tidyCell(token, tokens[token.type === 'th_open' ? index + 1 : index - 1])
    } else if (token.type === 'inline') {
      if (tokens[index - 1]?.type !== 'heading_open') sections.at(-1)?.texts.push(plain(token))
      if (tokens[index - 2]?.type === 'tr_open') sections.at(-1)?.names.push(plain(token))
      if (tokens[index - 1]?.type === 'paragraph_open') summary ||= plain(token)
      for (const child of token.children ?? []) resolve(child, resolver)
    } else if (token.type === 'fence') {
      sections.at(-1)?.texts.push(token.content)
    } else if (token.type === 'html_block' && !HTML.test(token.content.trim())) {
      throw new Error(`The pages do not use this HTML: ${token.content}`)
    }
  }
  return {
    title,
    summary,
    html: markdown.renderer.render(tokens, markdown.options, {}),
    headings,
    sections: sections.map(({ texts, ...section }) => ({
      ...section,
      text: texts.join(' ').replace(/\s+/g, ' '),
    })),
    anchors,
  }
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function resolve(token: Token, resolver: Resolver): void {
  if (token.type === 'link_open') {
    const href = resolver.link(token.attrGet('href') ?? '')
    token.attrSet('href', href)
    if (href.endsWith('.json') && !href.includes(':')) token.attrSet('download', '')
  } else if (token.type === 'image') {
    const { src, size } = resolver.picture(token.attrGet('src') ?? '')
    token.attrSet('src', src)
    token.attrSet('loading', 'lazy')
    if (!size) return
    token.attrSet('width', String(size.width))
    token.attrSet('height', String(size.height))
  } else if (token.type === 'html_inline' && !HTML.test(token.content)) {
    throw new Error(`The pages do not use this HTML: ${token.content}`)
  }
}

/** A heading without a text is a cell, as in tables of pictures, and numbers are aligned by a class. */
function tidyCell(token: Token, text: Token | undefined): void {
  if (token.tag === 'th' && text?.content === '') token.tag = 'td'
  if (token.attrGet('style') === 'text-align:right') token.attrs = [['class', 'number']]
}

/** The words of an inline text. */
function plain(token: Token | undefined): string {
  return (token?.children ?? [])
    .map((child) => {
      if (child.type === 'image') return ''
      if (child.type === 'softbreak' || child.type === 'hardbreak' || child.type === 'html_inline') return ' '
      return child.content
    })
    .join('')
    .trim()
}

/** The anchor of a heading as GitHub makes it, also where several headings are the same. */
function uniqueAnchor(heading: string, used: Set<string>): string {
  const name = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  let anchor = name
  for (let number = 1; used.has(anchor); number += 1) anchor = `${name}-${number}`
  used.add(anchor)
  return anchor
}

function permalink(id: string, heading: string): string {
  return ` <a class="anchor" href="#${id}"><span class="read-only">Link to ${escapeHtml(heading)}</span></a>`
}

function code(token: Token | undefined): string {
  return `<pre tabindex="0"><code>${escapeHtml(token?.content ?? '')}</code></pre>\n`
}
