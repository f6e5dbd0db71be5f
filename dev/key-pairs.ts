import type { SigningAlg } from '../src/core/algs.ts'
import { type NewKeyPair, newKeyPair, QUICK_ALGS } from '../src/keys/generate.ts'

const made = new Map<string, ReturnType<NewKeyPair>>()

/** Begins to make the first RSA pairs in threads, while this one loads the server. */
export function prepareKeyPairs(): void {
  for (const alg of ['RS256', 'PS256'] as const) pairOf(alg, 0)
}

/**
 * Returns what makes key pairs for one server: RSA pairs, which take a tenth of a second, are made once for all servers of
 * this process, and each server has its own of the others.
 */
export function keyPairs(): NewKeyPair {
  const counts = new Map<SigningAlg, number>()
  return (alg) => {
    if (QUICK_ALGS.includes(alg)) return newKeyPair(alg)
    const index = counts.get(alg) ?? 0
    counts.set(alg, index + 1)
    return pairOf(alg, index)
  }
}

function pairOf(alg: SigningAlg, index: number): ReturnType<NewKeyPair> {
  const name = `${alg} ${index}`
  const pair = made.get(name) ?? newKeyPair(alg)
  made.set(name, pair)
  return pair
}
