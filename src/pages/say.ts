import { Html, html } from './html.ts'
import type { English, Language, MessageName } from './messages/language.ts'

type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never
type ValuesOf<Name extends MessageName> = [PlaceholderOf<English[Name]>] extends [never]
  ? []
  : [values: Readonly<Record<PlaceholderOf<English[Name]>, string | Html>>]

const PLACEHOLDER = /\{(\w+)\}/

/** The parts of each message that was shown: HTML, and with an odd index the name of a placeholder. */
const PARTS = new Map<string, readonly string[]>()

/** A message with its values, as HTML. The text and every value that is not Html are escaped. */
export function say<Name extends MessageName>(
  language: Language,
  name: Name,
  ...[values]: ValuesOf<Name>
): Html {
  const given: Readonly<Record<string, string | Html>> = values ?? {}
  const filled = partsOf(language.messages[name]).map((part, index) =>
    index % 2 === 0 ? part : html`${given[part] ?? ''}`.text,
  )
  return new Html(filled.join(''))
}

function partsOf(message: string): readonly string[] {
  const known = PARTS.get(message)
  if (known !== undefined) return known
  const parts = message.split(PLACEHOLDER).map((part, index) => (index % 2 === 0 ? html`${part}`.text : part))
  PARTS.set(message, parts)
  return parts
}
