// RFC 8259 §7: what needs no escape, in ASCII. Long texts are compared more slowly than they are written.
const NO_ESCAPE = /^[ !#-[\]-~]*$/
const MOST_COMPARED = 200

/** Returns a text as JSON.stringify writes it; most short ones need no call out of compiled code. */
export function jsonText(text: string): string {
  return text.length <= MOST_COMPARED && NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text)
}
