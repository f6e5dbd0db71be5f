import { type Html, html } from './html.ts'

const MAX_SHOWN = 80
// Control characters, and what turns the direction of the text around it or is not seen at all.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu

/**
 * A name that somebody else chose, as plain text fit for a page: without characters that cannot be seen, and cut
 * where it is longer than 80 characters.
 */
export function plainName(name: string): string {
  // Of a long name, no more is looked at than can be shown.
  const characters = [
    ...name
      .slice(0, 8 * MAX_SHOWN)
      .replace(UNSEEN, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
  const cut = characters.length > MAX_SHOWN || name.length > 8 * MAX_SHOWN
  return cut ? `${characters.slice(0, MAX_SHOWN).join('').trimEnd()}…` : characters.join('')
}

/** Such a name inside a sentence, which it cannot turn around. */
export function nameInText(name: string): Html {
  return html`<strong><bdi>${plainName(name)}</bdi></strong>`
}

/** The letter that stands for a name where there is no picture. */
export function initialOf(name: string): string {
  return [...plainName(name)][0]?.toUpperCase() ?? ''
}

/** Where a browser goes by a registered redirect_uri: the host, or the scheme that an app has for itself. */
export function destinationOf(redirect_uri: string): Html {
  const { host, protocol } = new URL(redirect_uri)
  return html`<bdi>${host === '' ? protocol.slice(0, -1) : host}</bdi>`
}
