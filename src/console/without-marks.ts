/** Returns a text of the documentation without the marks of Markdown: links become their names. */
export const withoutMarks = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
