// A trusted issuer of the benchmark, whose assertions are presented once each.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { signJws } from '../src/keys/compact-jws.ts'
import { BENCH_ISSUER, SUBJECT } from './subject.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The key set of the issuer as JSON. */
export const BENCH_KEY_SET = JSON.stringify({
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench' }],
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = encode({ alg: 'ES256', kid: 'bench', typ: 'JWT' })

/** Returns a new assertion about the client of the benchmark. */
export function benchAssertion(aud: string): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: BENCH_ISSUER, sub: SUBJECT.client_id, aud, iat, exp: iat + 60, jti: randomUUID() }
  return signJws({ alg: 'ES256', privateKey }, `${HEADER}.${encode(claims)}`)
}
