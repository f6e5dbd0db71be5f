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

/** What a template can hold: text is escaped, Html is not. */
type Value = string | Html | readonly (string | Html)[]

/** The HTML of a template. Every value, and every item of a list, is escaped unless it is Html. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0] ?? ''
  for (let i = 0; i < values.length; i += 1) text += toHtml(values[i] ?? '') + strings[i + 1]
  return new Html(text)
}

const SPECIAL = /[&<>"']/g

function toHtml(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value !== 'string') return value.map(toHtml).join('')
  return value.replace(SPECIAL, (character) => ENTITIES[character] ?? character)
}
