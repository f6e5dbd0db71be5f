/** Calls `work` for `size` items at a time, one batch after the other. @throws the first error, and starts no batch then */
export async function inBatches<T>(
  items: Iterable<T>,
  size: number,
  work: (batch: readonly T[]) => Promise<unknown>,
): Promise<void> {
  const all = [...items]
  for (let start = 0; start < all.length; start += size) await work(all.slice(start, start + size))
}
