/** Text that is HTML already. Only `html` makes it, so that whatever else enters a page is escaped. */
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

/** HTML of a template; every value is escaped unless it is Html itself. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const escaped = values.map((value) => (value instanceof Html ? value.text : escapeHtml(value)))
  return new Html(String.raw({ raw: strings }, ...escaped))
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
