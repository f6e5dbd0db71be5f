/** The order of ids in pages: that of their bytes in UTF-8, which Redis compares. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
