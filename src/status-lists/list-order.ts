import { createCipheriv, randomBytes } from 'node:crypto'

/** How many bits a list has, and how many of them tokens can get; the others are decoys. */
export const LIST_SIZE = 2 ** 20
export const CAPACITY = (LIST_SIZE / 4) * 3

/** Returns the seed of a new list, which is secret: with it, the index of a token says when it was issued. */
export const newSeed = (): string => randomBytes(32).toString('base64url')

/**
 * Returns the indexes of a list in the order of its seed, which is random: the first CAPACITY are given to tokens, one after
 * the other, and the rest are decoys.
 */
export function orderOf(seed: string): Uint32Array {
  const random = createCipheriv('aes-256-ctr', Buffer.from(seed, 'base64url'), Buffer.alloc(16)).update(
    Buffer.alloc(LIST_SIZE * 4),
  )
  const order = Uint32Array.from({ length: LIST_SIZE }, (_, i) => i)
  for (let i = LIST_SIZE - 1; i > 0; i--) {
    const j = random.readUInt32LE(i * 4) % (i + 1)
    const moved = order[i] ?? 0
    order[i] = order[j] ?? 0
    order[j] = moved
  }
  return order
}
