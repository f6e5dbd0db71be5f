import { Html, html } from './html.ts'
import type { English, Language, MessageName } from './messages/language.ts'

type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never
type ValuesOf<Name extends MessageName> = [PlaceholderOf<English[Name]>] extends [never]
  ? []
  : [values: Readonly<Record<PlaceholderOf<English[Name]>, string | Html>>]

const PLACEHOLDER = /\{(\w+)\}/

/** A message with its values, as HTML. The text and every value that is not Html are escaped. */
export function say<Name extends MessageName>(
  language: Language,
  name: Name,
  ...[values]: ValuesOf<Name>
): Html {
  const given: Readonly<Record<string, string | Html>> = values ?? {}
  // The parts with an odd index are the names of placeholders.
  const parts = language.messages[name].split(PLACEHOLDER)
  const filled = parts.map((part, index) => html`${index % 2 === 0 ? part : (given[part] ?? '')}`.text)
  return new Html(filled.join(''))
}
