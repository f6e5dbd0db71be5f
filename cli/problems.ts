/** Problems, of which the first ones are listed, and all are counted: a file may have a million. */
export class Problems {
  count = 0
  readonly lines: string[] = []
  readonly #listed: number

  constructor(listed = 1000) {
    this.#listed = listed
  }

  add(line: string): void {
    this.count += 1
    if (this.lines.length < this.#listed) this.lines.push(line)
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
