const MAX_ANSWER = 200
// A server may repeat a link of the mail in its answer.
const LINK = /\S*(?:\/\/|www\.)\S*/gi

/** Returns an answer of a server as one line of visible text, without links, cut. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(LINK, '[link]')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_ANSWER)
    .toWellFormed()
}
