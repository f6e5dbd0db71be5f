/** Returns a base64url text with another character at a place; a negative place counts from the end. */
export function withOtherCharacter(text: string, at: number): string {
  const place = at < 0 ? text.length + at : at
  return text.slice(0, place) + (text[place] === 'A' ? 'B' : 'A') + text.slice(place + 1)
}
