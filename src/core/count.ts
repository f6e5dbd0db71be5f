/** "1 client", "2 clients", "2 entries". */
export function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun.replace(/(?<=[^aeiou])y$/, 'ie')}s`}`
}
