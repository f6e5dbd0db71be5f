/** Text that is HTML already. Everything else that enters a page is escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The HTML of a template. Every value, and every item of a list, is escaped unless it is Html. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | Html | readonly (string | Html)[])[]
): Html {
  const texts = values.map((value) => [value].flat().map(toHtml).join(''))
  return new Html(String.raw({ raw: strings }, ...texts))
}

function toHtml(value: string | Html): string {
  return value instanceof Html
    ? value.text
    : value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
