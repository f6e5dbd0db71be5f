import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto'
import { type NewKeyPair, newKeyPair, QUICK_ALGS } from '../../src/keys/generate.ts'
import { parseSigningKeys } from '../../src/keys/key-record.ts'
import { testKeys } from './keys.ts'

/**
 * Makes key pairs; those of RSA only after `finish` was called.
 * @param pairs makes these; by default they are the test keys, which takes no time
 */
export async function gatedKeys(pairs?: NewKeyPair) {
  const makeRsa = pairs ?? (await testKeyPairs())
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const make: NewKeyPair = async (alg) => {
    if (QUICK_ALGS.includes(alg)) return newKeyPair(alg)
    await finished
    return makeRsa(alg)
  }
  return { make, finish }
}

/** Returns the test keys of an algorithm in turn. */
async function testKeyPairs(): Promise<NewKeyPair> {
  const records = parseSigningKeys(await testKeys())
  return async (alg) => {
    const [record] = records.splice(
      records.findIndex((record) => record.alg === alg),
      1,
    )
    if (record === undefined) throw new Error('there are no test keys')
    records.push(record)
    const privateKey = createPrivateKey({ key: record.private_jwk as JsonWebKey, format: 'jwk' })
    return { privateKey, publicKey: createPublicKey(privateKey) }
  }
}
