import { type NewKeyPair, newKeyPair, QUICK_ALGS } from '../src/keys/generate.ts'

const made = new Map<string, ReturnType<NewKeyPair>>()

/**
 * Returns what makes key pairs for one server: RSA pairs, which take a tenth of a second, are made once for all servers of
 * this process, and each server has its own of the others.
 */
export function keyPairs(): NewKeyPair {
  const next = new Map<string, number>()
  return (alg) => {
    if (QUICK_ALGS.includes(alg)) return newKeyPair(alg)
    const index = next.get(alg) ?? 0
    next.set(alg, index + 1)
    const name = `${alg} ${index}`
    const pair = made.get(name) ?? newKeyPair(alg)
    made.set(name, pair)
    return pair
  }
}
