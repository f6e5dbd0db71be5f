import type { KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifiedAlg } from '../../../../src/core/algs.ts'
import {
  attackersKeys,
  forge,
  hmac,
  type Key,
  keyFor,
  rightHeader,
  signer,
  stolenKeys,
  tokenFaults,
} from '../../../support/hostile/forge.ts'
import { each, siege, words } from '../../../support/hostile/siege.ts'
import { ISSUER, SECRET } from '../../../support/service.ts'

siege('a token signed by HMAC with the public key is refused', async (t, service) => {
  const keys = await stolenKeys(t, service)
  for (const key of keys) {
    await each(t, `${key.alg} ${key.kid}`, ['HS256', 'HS384', 'HS512'], async (alg) => {
      const tokens = publicForms(key).flatMap((secret) =>
        [rightHeader(key, { alg }), { alg, typ: 'at+jwt' }, rightHeader(key)].map((header) =>
          forge(key, { header, signature: hmac(alg, secret) }),
        ),
      )
      return tokenFaults(service, ...tokens)
    })
  }
})

/** Every representation of a public key that could be used as an HMAC key. */
function publicForms({ kid, jwk, publicKey }: Key): (string | Buffer)[] {
  const pem = (key: KeyObject, type: 'spki' | 'pkcs1') => String(key.export({ type, format: 'pem' }))
  const pems = [pem(publicKey, 'spki'), ...(jwk.kty === 'RSA' ? [pem(publicKey, 'pkcs1')] : [])]
  const numbers = [jwk.n, jwk.x, jwk.y].filter((number) => number !== undefined)
  return [
    ...pems.flatMap((text) => [text, text.trim(), text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '')]),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...[
      JSON.stringify(jwk),
      JSON.stringify(publicKey.export({ format: 'jwk' })),
      JSON.stringify({ keys: [jwk] }),
    ],
    ...numbers.flatMap((number) => [number, Buffer.from(number, 'base64url')]),
    ...['', '\0', kid, ISSUER, SECRET, 'secret', 'null', 'undefined'],
  ]
}

siege('a key in the token or named by it is neither used nor fetched', async (t, service) => {
  const keys = await stolenKeys(t, service)
  let fetched = 0
  const evil = attackersKeys()
  const server = createServer((_request, response) => {
    fetched++
    response.end(JSON.stringify({ keys: evil.map(({ jwk }) => jwk) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
  for (const own of evil) {
    const real = keyFor(keys, own.alg)
    const der = own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const lures = [
      {},
      { jwk: own.jwk },
      { jku: url },
      { x5u: url },
      { x5c: [der] },
      { x5t: 'x', 'x5t#S256': 'x' },
      { iss: url },
    ]
    await each(t, own.alg, lures, async (lure) => {
      const kids = [{ kid: 'evil' }, { kid: real.kid }, { kid: undefined }, { kid: url }, { kid: own.jwk }]
      const tokens = kids.map((kid) => forge(own, { header: rightHeader(own, { ...lure, ...kid }) }))
      return tokenFaults(service, ...tokens)
    })
  }
  t.equal(fetched, 0)
})

siege('a key is accepted for its own algorithm only', async (t, service) => {
  const keys = await stolenKeys(t, service)
  const rsa = words('RS256 PS256 RS384 RS512 PS384 PS512')
  const others = { ES256: ['ES256'], EdDSA: ['EdDSA'], RS256: rsa, PS256: rsa }
  const claimed = [
    ...rsa,
    ...words('ES256 ES384 ES512 ES256K EdDSA Ed25519 Ed448 RSA-OAEP dir A256GCM es256 rs256'),
  ]
  for (const key of keys) {
    await each(t, `${key.alg} ${key.kid}`, others[key.alg], async (used) => {
      const signature = signer(used, key.privateKey)
      const tokens = claimed
        // RFC 9864 §2.2: Ed25519 is another name of this algorithm.
        .filter((alg) => verifiedAlg(alg) !== key.alg || used !== key.alg)
        .map((alg) => forge(key, { header: rightHeader(key, { alg }), signature }))
      return tokenFaults(service, ...tokens)
    })
    const strangers = keys.filter((other) => other.kid !== key.kid)
    await each(t, `signed by ${key.kid}, named as another`, strangers, ({ kid }) =>
      tokenFaults(service, forge(key, { header: rightHeader(key, { kid }) })),
    )
  }
})
