// Assertions of the client and of a trusted issuer, which have the same key. Each can be used once.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { signJws } from '../src/keys/compact-jws.ts'
import { BENCH_ISSUER, SUBJECT } from './subject.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The key set of both as JSON. */
export const BENCH_KEY_SET = JSON.stringify({
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench' }],
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = encode({ alg: 'ES256', kid: 'bench', typ: 'JWT' })

/** Returns a new assertion of the trusted issuer about the client. */
export const workloadAssertion = (aud: string) => assertion(BENCH_ISSUER, aud)

/** Returns a new assertion by which the client authenticates itself. */
export const clientAssertion = (aud: string) => assertion(SUBJECT.client_id, aud)

function assertion(iss: string, aud: string): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss, sub: SUBJECT.client_id, aud, iat, exp: iat + 60, jti: randomUUID() }
  return signJws({ alg: 'ES256', privateKey }, `${HEADER}.${encode(claims)}`)
}
