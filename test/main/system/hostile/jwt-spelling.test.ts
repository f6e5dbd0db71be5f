import { generateKeyPairSync } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import {
  encode,
  forge,
  type Key,
  keyFor,
  type Recipe,
  rightClaims,
  rightHeader,
  signer,
  stolenKeys,
  tokenFaults,
} from '../../../support/hostile/forge.ts'
import { each, siege } from '../../../support/hostile/siege.ts'

siege('malformed signatures are refused', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
  const zero = Buffer.alloc(32)
  const one = Buffer.concat([Buffer.alloc(31), Buffer.from([1])])
  // CVE-2022-21449: r and s of zero, or of the order of the curve, verified for every message.
  const pairs = [zero, one, order].flatMap((r) => [zero, one, order].map((s) => Buffer.concat([r, s])))
  const sizes = [1, 31, 32, 63, 64, 65, 128, 255, 256, 257, 512]
  const blobs = sizes.flatMap((size) => [Buffer.alloc(size), Buffer.alloc(size, 255)])
  for (const key of keys.slice(0, 4)) {
    const real = signer(key.alg, key.privateKey)
    const mangled: NonNullable<Recipe['signature']>[] = [
      (input) => Buffer.concat([real(input), real(input)]),
      (input) => Buffer.concat([real(input), Buffer.alloc(1)]),
      (input) => Buffer.concat([Buffer.alloc(1), real(input)]),
      (input) => real(input).subarray(1),
      (input) => real(input).subarray(0, -1),
      (input) => real(input).reverse(),
      (input) => real(input).toString('hex'),
      (input) => real(input).toString('base64'),
      (input) => real(input.subarray(0, input.indexOf('.'))),
      (input) => real(input.subarray(input.indexOf('.') + 1)),
      (input) => real(Buffer.concat([input, Buffer.from('.')])),
      () => real(Buffer.alloc(0)),
    ]
    const all = [...[...pairs, ...blobs].map((blob) => () => blob), ...mangled]
    await each(t, key.alg, all, (signature) => tokenFaults(service, forge(key, { signature })))
  }
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const rs256 = keyFor(keys, 'RS256')
  const weak = forge(rs256, { signature: signer('RS256', short) })
  t.strictSame(await tokenFaults(service, weak), [], 'a short RSA key')
})

siege('an encrypted token is refused', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const inner = forge(keyFor(keys, 'ES256'))
  const recipes: [alg: string, key: Key['publicKey'] | Uint8Array][] = [
    ['dir', new Uint8Array(32)],
    ['RSA-OAEP', keyFor(keys, 'RS256').publicKey],
    ['ECDH-ES', keyFor(keys, 'ES256').publicKey],
  ]
  await each(t, 'JWE', recipes, async ([alg, key]) => {
    const bytes = [inner, JSON.stringify(rightClaims())].map((text) => new TextEncoder().encode(text))
    const header = { alg, enc: 'A256GCM', kid: keyFor(keys, 'ES256').kid, typ: 'at+jwt' }
    const tokens = bytes.map((text) => new CompactEncrypt(text).setProtectedHeader(header).encrypt(key))
    return tokenFaults(service, ...(await Promise.all(tokens)))
  })
  const five: Recipe = { header: rightHeader(keyFor(keys, 'ES256')) }
  t.strictSame(
    await tokenFaults(service, `${forge(keyFor(keys, 'ES256'), five)}.${encode('x')}.${encode('y')}`),
    [],
  )
})
