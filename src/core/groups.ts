/** Yields the items in groups of this size; the last one may be smaller. */
export async function* groupsOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let some: T[] = []
  for await (const item of items) {
    if (some.push(item) < size) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}
