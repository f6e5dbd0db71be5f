// What a program for tables skips or does not show before it looks for a formula.
const UNSEEN = /^[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/u
// U+2212 is a minus sign, too; full-width signs become these by NFKC.
const FORMULA = /^[=+\-@\u2212]/

/**
 * Returns a line of CSV (RFC 4180). Each cell is quoted, so that it is one whatever separates cells where it is read, and
 * none is a formula there: what begins like one, after what is not seen, gets an apostrophe.
 */
export function csvLineOf(cells: readonly (string | undefined)[]): string {
  return cells.map((cell = '') => csvCell(cell)).join(',')
}

function csvCell(text: string): string {
  const begins = text.replace(UNSEEN, '').slice(0, 4).normalize('NFKC')
  const is_dangerous = FORMULA.test(begins) || /^[\t\r\n]/.test(text)
  return `"${(is_dangerous ? `'${text}` : text).replaceAll('"', '""')}"`
}
