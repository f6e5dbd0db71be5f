import { Html, html } from './html.ts'
import type { English, Language, MessageName, Plural } from './messages/language.ts'

type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never
type ValuesOf<Name extends MessageName> = English[Name] extends string
  ? [PlaceholderOf<English[Name]>] extends [never]
    ? []
    : [values: Readonly<Record<PlaceholderOf<English[Name]>, string | Html>>]
  : English[Name] extends Plural
    ? [values: Readonly<Record<PlaceholderOf<English[Name]['other']>, number>>]
    : never

const PLACEHOLDER = /\{(\w+)\}/

/** The parts of each message that was shown: HTML, and with an odd index the name of a placeholder. */
const PARTS = new Map<string, readonly string[]>()

/**
 * A message with its values, as HTML. The text and every value that is not Html are escaped; a number chooses the
 * plural.
 */
export function say<Name extends MessageName>(
  language: Language,
  name: Name,
  ...[values]: ValuesOf<Name>
): Html {
  const given: Readonly<Record<string, string | number | Html>> = values ?? {}
  const message: string | Plural = language.messages[name]
  const text = typeof message === 'string' ? message : pluralOf(message, language, given)
  const filled = partsOf(text).map((part, index) => {
    const value = given[part] ?? ''
    return index % 2 === 0 ? part : html`${typeof value === 'number' ? String(value) : value}`.text
  })
  return new Html(filled.join(''))
}

/** The text for the number among the values. */
function pluralOf(message: Plural, { tag }: Language, values: Readonly<Record<string, unknown>>): string {
  const count = Object.values(values).find((value) => typeof value === 'number') ?? 0
  return message[new Intl.PluralRules(tag).select(count)] ?? message.other
}

function partsOf(message: string): readonly string[] {
  const known = PARTS.get(message)
  if (known !== undefined) return known
  const parts = message.split(PLACEHOLDER).map((part, index) => (index % 2 === 0 ? html`${part}`.text : part))
  PARTS.set(message, parts)
  return parts
}
