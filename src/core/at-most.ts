/**
 * Options of an LRUCache of at most `count` entries, whose memory grows with them: with `max` it would take the memory of
 * all of them at its start.
 */
export const atMost = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })
