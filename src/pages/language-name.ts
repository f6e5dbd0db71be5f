/** Returns the name of a language, in another one; the tag itself if it has none. */
export function languageName(tag: string, inside: string): string {
  try {
    return new Intl.DisplayNames(inside, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
