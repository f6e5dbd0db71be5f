// What is used of the packages of the site, so that the sources are checked also where they are not installed.
declare module 'markdown-it' {
  export interface Token {
    type: string
    tag: string
    attrs: [string, string][] | null
    content: string
    info: string
    map: [number, number] | null
    children: Token[] | null
    attrGet(name: string): string | null
    attrSet(name: string, value: string): void
  }
  type Rule = (tokens: Token[], index: number, options: unknown, env: unknown, self: Renderer) => string
  interface Renderer {
    rules: Record<string, Rule | undefined>
    render(tokens: Token[], options: unknown, env: unknown): string
    renderToken(tokens: Token[], index: number, options: unknown): string
  }
  export default class MarkdownIt {
    constructor(options: { html: boolean; linkify: boolean })
    readonly options: unknown
    readonly renderer: Renderer
    readonly linkify: { set(options: { fuzzyLink: boolean; fuzzyEmail: boolean }): void }
    parse(text: string, env: unknown): Token[]
  }
}
