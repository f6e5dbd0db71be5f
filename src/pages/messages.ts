import { Html, html } from './html.ts'
import { de } from './messages/de.ts'
import { en } from './messages/en.ts'

type English = (typeof en)['messages']
export type MessageName = keyof English

/** A language of the pages: a file in messages/, and its name in LANGUAGES. */
export interface Language {
  /** Its language tag (RFC 5646), which requests are matched with. */
  readonly tag: string
  readonly dir: 'ltr' | 'rtl'
  /** Plain text; `{name}` stands for a value, and each has those of the English text. */
  readonly messages: Readonly<Record<MessageName, string>>
}

/** Every language there is; the first is for whoever asks for none of them. */
export const LANGUAGES: readonly [Language, ...Language[]] = [en, de]

type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never
type ValuesOf<Name extends MessageName> = [PlaceholderOf<English[Name]>] extends [never]
  ? []
  : [values: Readonly<Record<PlaceholderOf<English[Name]>, string | Html>>]

const PLACEHOLDER = /\{(\w+)\}/

/** A message with its values, as HTML; the text and each value are escaped unless the value is HTML. */
export function say<Name extends MessageName>(
  language: Language,
  name: Name,
  ...[values]: ValuesOf<Name>
): Html {
  const given: Readonly<Record<string, string | Html>> = values ?? {}
  // Every other part is the name of a placeholder.
  const parts = language.messages[name].split(PLACEHOLDER)
  const filled = parts.map((part, index) => html`${index % 2 === 0 ? part : (given[part] ?? '')}`.text)
  return new Html(filled.join(''))
}
