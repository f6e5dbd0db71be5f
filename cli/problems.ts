/** So many problems are listed; a file may have a million. */
const LISTED = 1000

/** Problems, of which the first ones are listed, and all are counted. */
export class Problems {
  count = 0
  readonly lines: string[] = []

  add(line: string): void {
    this.count += 1
    if (this.lines.length < LISTED) this.lines.push(line)
  }

  /** Returns a sentence, and below it the problems, one per line. */
  describe(sentence: string): string {
    const more = this.count - this.lines.length
    return [
      sentence,
      ...this.lines.map((line) => `  ${line}`),
      ...(more > 0 ? [`  … and ${more} more`] : []),
    ].join('\n')
  }
}
