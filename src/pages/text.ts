import { shownText } from '../core/visible-text.ts'
import { type Html, html } from './html.ts'

const MAX_SHOWN = 80

/** An untrusted name as plain text for a page: without invisible characters, cut after 80 characters. */
export const plainName = (name: string) => shownText(name, MAX_SHOWN)

/** As plainName, of a name that may be an address: one that is too long for its line is broken before its domain. */
export function breakableName(name: string): Html {
  const shown = plainName(name)
  const at = shown.indexOf('@')
  return at < 1 ? html`${shown}` : html`${shown.slice(0, at + 1)}<wbr>${shown.slice(at + 1)}`
}

/** An untrusted name inside a sentence, isolated from the direction of the text around it. */
export function nameInText(name: string): Html {
  return html`<strong><bdi>${plainName(name)}</bdi></strong>`
}

/** The first letter of a name, shown in place of a picture. */
export function initialOf(name: string): string {
  return [...plainName(name)][0]?.toUpperCase() ?? ''
}

/** Up to two letters of a name, shown in place of the picture of a person or an application. */
export function initialsOf(name: string): string {
  const words = plainName(name).match(/[\p{L}\p{N}]+/gu) ?? []
  const [first = '', last = ''] = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  const [one = '', two = ''] = [...first]
  return (last === '' ? one + two : one + ([...last][0] ?? '')).toUpperCase()
}
